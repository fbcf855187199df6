--  depot.adb - a store and its orders: generics, tagged types, exceptions, controlled
--  types, containers, tasks and a protected object; leaves by an exception in the end.
--  status: 1

with Ada.Command_Line;
with Ada.Containers.Indefinite_Ordered_Maps;
with Ada.Containers.Vectors;
with Ada.Exceptions;
with Ada.Finalization;
with Ada.Strings.Fixed;
with Ada.Strings.Unbounded;
with Ada.Text_IO;
with Ada.Unchecked_Deallocation;

procedure Depot is
   use Ada.Strings.Unbounded;
   use Ada.Text_IO;

   --  Numbers as texts, without the blank in front.
   function Image (N : Integer) return String is
     (Ada.Strings.Fixed.Trim (Integer'Image (N), Ada.Strings.Left));

   --  A generator of numbers.
   package Generator is
      function Draw (N : Positive) return Natural;
   end Generator;

   package body Generator is
      type Word is mod 2**32;
      State : Word := 2023;

      function Draw (N : Positive) return Natural is
      begin
         State := State * 1664525 + 1013904223;
         return Natural ((State / 65536) mod Word (N));
      end Draw;
   end Generator;

   --  A heap of anything that has an order.
   generic
      type Element is private;
      with function "<" (A, B : Element) return Boolean is <>;
   package Heaps is
      type Heap (Room : Positive) is limited private;
      Full, Empty : exception;
      procedure Put (H : in out Heap; E : Element);
      procedure Take (H : in out Heap; E : out Element);
      function Size (H : Heap) return Natural;
   private
      type Elements is array (Positive range <>) of Element;
      type Heap (Room : Positive) is limited record
         Item : Elements (1 .. Room);
         N    : Natural := 0;
      end record;
   end Heaps;

   package body Heaps is
      procedure Swap (A, B : in out Element) is
         T : constant Element := A;
      begin
         A := B;
         B := T;
      end Swap;

      procedure Put (H : in out Heap; E : Element) is
         I : Positive;
      begin
         if H.N = H.Room then
            raise Full with "room for" & Integer'Image (H.Room);
         end if;
         H.N := H.N + 1;
         I := H.N;
         H.Item (I) := E;
         while I > 1 and then H.Item (I) < H.Item (I / 2) loop
            Swap (H.Item (I), H.Item (I / 2));
            I := I / 2;
         end loop;
      end Put;

      procedure Take (H : in out Heap; E : out Element) is
         I : Positive := 1;
         K : Positive;
      begin
         if H.N = 0 then
            raise Empty;
         end if;
         E := H.Item (1);
         H.Item (1) := H.Item (H.N);
         H.N := H.N - 1;
         loop
            K := 2 * I;
            exit when K > H.N;
            if K < H.N and then H.Item (K + 1) < H.Item (K) then
               K := K + 1;
            end if;
            exit when not (H.Item (K) < H.Item (I));
            Swap (H.Item (I), H.Item (K));
            I := K;
         end loop;
      end Take;

      function Size (H : Heap) return Natural is (H.N);
   end Heaps;

   --  Goods, each with a price of its own kind.
   package Goods is
      type Good is abstract tagged record
         Name  : Unbounded_String;
         Price : Natural;
      end record;
      function Cost (G : Good; Amount : Natural) return Natural is abstract;
      function Describe (G : Good) return String;

      type Piece is new Good with null record;
      overriding function Cost (G : Piece; Amount : Natural) return Natural;

      type Bulk is new Good with record
         From, Percent : Natural;
      end record;
      overriding function Cost (G : Bulk; Amount : Natural) return Natural;
      overriding function Describe (G : Bulk) return String;

      type Any is access Good'Class;
   end Goods;

   package body Goods is
      function Describe (G : Good) return String is
        (To_String (G.Name) & " at " & Image (G.Price));

      overriding function Cost (G : Piece; Amount : Natural) return Natural is
        (G.Price * Amount);

      overriding function Cost (G : Bulk; Amount : Natural) return Natural is
      begin
         if Amount >= G.From then
            return G.Price * Amount * (100 - G.Percent) / 100;
         end if;
         return G.Price * Amount;
      end Cost;

      overriding function Describe (G : Bulk) return String is
        (Describe (Good (G)) & ", from " & Image (G.From) & " less " & Image (G.Percent) & "%");
   end Goods;

   --  Something that must be given back, however its scope is left.
   package Locks is
      Held, Most : Natural := 0;
      type Lock is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (L : in out Lock);
      overriding procedure Finalize (L : in out Lock);
   end Locks;

   package body Locks is
      overriding procedure Initialize (L : in out Lock) is
         pragma Unreferenced (L);
      begin
         Held := Held + 1;
         Most := Natural'Max (Most, Held);
      end Initialize;

      overriding procedure Finalize (L : in out Lock) is
         pragma Unreferenced (L);
      begin
         Held := Held - 1;
      end Finalize;
   end Locks;

   package Stock_Maps is new Ada.Containers.Indefinite_Ordered_Maps (String, Natural);
   package Number_Vectors is new Ada.Containers.Vectors (Positive, Integer);

   type Order is record
      Rank, Number : Natural;
   end record;
   function "<" (A, B : Order) return Boolean is
     (A.Rank < B.Rank or else (A.Rank = B.Rank and then A.Number < B.Number));
   package Order_Heaps is new Heaps (Order);

   Shortage : exception;
   Stock    : Stock_Maps.Map;

   procedure Remove (Name : String; Amount : Natural) is
      Guard : Locks.Lock;
      pragma Unreferenced (Guard);
      Left : Natural;
   begin
      if not Stock.Contains (Name) then
         raise Constraint_Error with "no " & Name;
      end if;
      Left := Stock.Element (Name);
      if Left < Amount then
         raise Shortage with Name & ": " & Image (Left) & " left";
      end if;
      Stock.Replace (Name, Left - Amount);
   end Remove;

   procedure Orders is
      use Goods;
      type List is array (Positive range <>) of Any;
      procedure Free is new Ada.Unchecked_Deallocation (Good'Class, Any);
      Have : List :=
        (new Piece'(To_Unbounded_String ("lamp"), 30),
         new Bulk'(To_Unbounded_String ("nail"), 2, 50, 25),
         new Bulk'(To_Unbounded_String ("rope"), 7, 10, 10));
      Sales, Short, Unknown : Natural := 0;
   begin
      for G of Have loop
         Stock.Insert (To_String (G.Name), 400);
         Put_Line (G.Describe);
      end loop;
      for I in 1 .. 120 loop
         declare
            G      : constant Any := Have (1 + Generator.Draw (Have'Length));
            Amount : constant Natural := Generator.Draw (60);
         begin
            Remove ((if I mod 17 = 0 then "ghost" else To_String (G.Name)), Amount);
            Sales := Sales + G.Cost (Amount);
         exception
            when Shortage => Short := Short + 1;
            when Constraint_Error => Unknown := Unknown + 1;
         end;
      end loop;
      Put_Line ("sales " & Image (Sales) & ", short " & Image (Short) & ", unknown " & Image (Unknown));
      for C in Stock.Iterate loop
         Put_Line (Stock_Maps.Key (C) & " " & Image (Stock_Maps.Element (C)));
      end loop;
      for G of Have loop
         Free (G);
      end loop;
   end Orders;

   procedure Queues is
      H     : Order_Heaps.Heap (50);
      E     : Order;
      Last  : Order := (0, 0);
      Wrong : Natural := 0;
   begin
      for I in 1 .. 60 loop
         begin
            Order_Heaps.Put (H, (Generator.Draw (9), I));
         exception
            when Ex : Order_Heaps.Full =>
               Wrong := Wrong + 1;
               if Wrong = 1 then
                  Put_Line (Ada.Exceptions.Exception_Message (Ex));
               end if;
         end;
      end loop;
      while Order_Heaps.Size (H) > 0 loop
         Order_Heaps.Take (H, E);
         if E < Last then
            Put_Line ("out of order");
         end if;
         Last := E;
      end loop;
      Order_Heaps.Take (H, E);
   exception
      when Order_Heaps.Empty =>
         Put_Line ("empty, refused " & Image (Wrong));
   end Queues;

   --  Tasks that add to a sum under protection, and one that answers.
   procedure Workers is
      protected Sum is
         procedure Add (N : Integer);
         function Value return Integer;
      private
         Total : Integer := 0;
      end Sum;

      protected body Sum is
         procedure Add (N : Integer) is
         begin
            Total := Total + N;
         end Add;
         function Value return Integer is (Total);
      end Sum;

      function Steps (N : Positive) return Natural is
         K : Positive := N;
         S : Natural := 0;
      begin
         while K /= 1 loop
            K := (if K mod 2 = 0 then K / 2 else 3 * K + 1);
            S := S + 1;
         end loop;
         return S;
      end Steps;

      task Teller is
         entry Ask (N : Integer; Answer : out Integer);
         entry Stop;
      end Teller;

      task body Teller is
         Open : Boolean := True;
      begin
         while Open loop
            select
               accept Ask (N : Integer; Answer : out Integer) do
                  Answer := N * N;
               end Ask;
            or
               accept Stop do
                  Open := False;
               end Stop;
            end select;
         end loop;
      end Teller;

      Answer : Integer;
   begin
      declare
         task type Worker (First : Positive);
         task body Worker is
         begin
            for I in 0 .. 24 loop
               Sum.Add (Steps (First + 4 * I));
            end loop;
         end Worker;
         A : Worker (1);
         B : Worker (2);
         C : Worker (3);
         D : Worker (4);
         pragma Unreferenced (A, B, C, D);
      begin
         for I in 1 .. 10 loop
            Teller.Ask (I, Answer);
            Sum.Add (Answer);
         end loop;
      end;
      Teller.Stop;
      Put_Line ("workers " & Image (Sum.Value));
   end Workers;

   procedure Numbers is
      V : Number_Vectors.Vector;
      package Sorting is new Number_Vectors.Generic_Sorting;
      S : Integer := 0;

      procedure Twice (N : in out Integer) is
      begin
         N := 2 * N;
      end Twice;
   begin
      for I in 1 .. 200 loop
         V.Append (Generator.Draw (1000));
      end loop;
      Sorting.Sort (V);
      for I in V.First_Index .. V.Last_Index loop
         if I mod 3 = 0 then
            V.Update_Element (I, Twice'Access);
         end if;
         S := (S * 31 + V.Element (I)) mod 1_000_003;
      end loop;
      Put_Line ("numbers " & Image (S) & " " & Image (V.First_Element) & " " & Image (V.Last_Element));
      S := V.Element (500);
   exception
      when Constraint_Error => Put_Line ("no such number");
   end Numbers;

   function Down (N : Natural) return Natural is
      Guard : Locks.Lock;
      pragma Unreferenced (Guard);
   begin
      if N = 0 then
         raise Program_Error with "the bottom";
      end if;
      return Down (N - 1) + 1;
   end Down;

begin
   Orders;
   Queues;
   Numbers;
   Workers;
   Put_Line ("down " & Image (Down (12)));
exception
   when E : Program_Error =>
      Put_Line (Ada.Exceptions.Exception_Message (E) & ", held " & Image (Locks.Held) & " of " & Image (Locks.Most));
      Ada.Command_Line.Set_Exit_Status (Ada.Command_Line.Failure);
end Depot;
