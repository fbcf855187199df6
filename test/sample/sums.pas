{ sums.pas - a sieve, a nested procedure, exceptions that are caught. status: 0 }
program sums;
{$mode objfpc}
uses sysutils;
var
  crossed: array[2..255] of boolean;
  i, k, caught: integer;
  total: int64;

procedure risky(n: integer);
  procedure inner;
  begin
    if n mod 4 = 3 then
      raise exception.create('three');
    total := total + n
  end;
begin
  inner;
  total := total + 1
end;

begin
  for i := 2 to 15 do
    if not crossed[i] then
    begin
      k := i * i;
      while k <= 255 do
      begin
        crossed[k] := true;
        k := k + i
      end
    end;
  for i := 2 to 255 do
    if not crossed[i] then
      total := total + i;
  for i := 1 to 40 do
    try
      risky(i)
    except
      caught := caught + 1
    end;
  writeln(total, ' ', caught)
end.
