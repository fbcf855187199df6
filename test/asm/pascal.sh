# pascal.sh - Free Pascal: programs without a C library, without a build id and with a line
# table of its own making; and with a C library and threads.
# tally-test:slow
command -v fpc >/dev/null || { echo "no fpc"; exit 77; }
cat >queens.pas <<'P'
unit queens;
{$mode objfpc}{$H+}
interface
type
  TBoard = array[0..15] of integer;
  TSolver = class
  private
    board: TBoard;
    size, found: integer;
    function safe(row, col: integer): boolean;
  public
    constructor create(n: integer);
    destructor destroy; override;
    procedure place(row: integer); virtual;
    property solutions: integer read found;
  end;
var
  alive: integer = 0;
implementation
constructor TSolver.create(n: integer);
begin
  inherited create;
  size := n;
  found := 0;
  inc(alive);
end;
destructor TSolver.destroy;
begin
  dec(alive);
  inherited destroy;
end;
function TSolver.safe(row, col: integer): boolean;
var
  i: integer;
begin
  for i := 0 to row - 1 do
    if (board[i] = col) or (abs(board[i] - col) = row - i) then
      exit(false);
  result := true;
end;
procedure TSolver.place(row: integer);
var
  col: integer;
begin
  if row = size then
  begin
    inc(found);
    exit;
  end;
  for col := 0 to size - 1 do
    if safe(row, col) then
    begin
      board[row] := col;
      place(row + 1);
    end;
end;
initialization
  alive := 10;
finalization
  if alive <> 10 then
    writeln('lost ', alive);
end.
P
cat >words.pas <<'P'
program words;
{$mode objfpc}{$H+}
uses queens;
type
  PNode = ^TNode;
  TNode = record
    key: string;
    times: longint;
    left, right: PNode;
  end;
  TKind = (vowel, consonant, other);
  TLetters = set of char;
const
  vowels: TLetters = ['a', 'e', 'i', 'o', 'u'];
var
  root: PNode = nil;
  kinds: array[TKind] of longint;

procedure insert(var n: PNode; const key: string);
begin
  if n = nil then
  begin
    new(n);
    n^.key := key;
    n^.times := 1;
    n^.left := nil;
    n^.right := nil;
  end
  else if key < n^.key then
    insert(n^.left, key)
  else if key > n^.key then
    insert(n^.right, key)
  else
    inc(n^.times);
end;

procedure walk(n: PNode; depth: integer);
begin
  if n = nil then
    exit;
  walk(n^.left, depth + 1);
  if n^.times > 1 then
    writeln(n^.key, ' ', n^.times, ' ', depth);
  walk(n^.right, depth + 1);
end;

function classify(c: char): TKind;
begin
  case c of
    'a'..'z': if c in vowels then result := vowel else result := consonant;
    'A'..'Z': result := classify(chr(ord(c) + 32));
  else
    result := other;
  end;
end;

function collatz(n: int64): longint;
begin
  result := 0;
  while n <> 1 do
  begin
    if odd(n) then n := 3 * n + 1 else n := n div 2;
    inc(result);
  end;
end;

procedure count;
const
  text = 'It was the best of times, it was the worst of times, it was the age of wisdom';
var
  i: integer;
  word: string;
begin
  word := '';
  for i := 1 to length(text) do
  begin
    inc(kinds[classify(text[i])]);
    if classify(text[i]) = other then
    begin
      if word <> '' then
        insert(root, word);
      word := '';
    end
    else
      word := word + text[i];
  end;
end;

procedure solve;
var
  s: TSolver;
  k: integer;
begin
  for k := 4 to 7 do
  begin
    s := TSolver.create(k);
    s.place(0);
    writeln(k, ' queens: ', s.solutions);
    s.free;
  end;
end;

var
  k: TKind;
  i, best: longint;
  bad: integer;
begin
  count;
  walk(root, 0);
  for k in TKind do
    writeln(ord(k), ' ', kinds[k]);
  best := 1;
  for i := 1 to 300 do
    if collatz(i) > collatz(best) then
      best := i;
  writeln(best, ' ', collatz(best));
  solve;
  val('12x', i, bad);
  if bad <> 0 then
    halt(3);
  writeln('not reached');
end.
P
for o in -O- -O1 -O2 -O3; do
	rm -rf ./*.o ./*.ppu tally.out
	fpc -Aas -Xs- $o -oplain words.pas >log || { cat log; exit 1; }
	rm -f ./*.o ./*.ppu
	tally build --quiet --counters=check fpc $o -owords words.pas >log || { cat log; exit 1; }
	was=0 is=0
	./plain >want || was=$?
	./words >got || is=$?
	[ $was = 3 ] && [ $is = 3 ] && cmp want got || { echo "$o: status $was and $is"; cat got; exit 1; }
	tally print --compare 2>/dev/null | grep -q '[1-9][0-9] blocks compared, 0 differences' || { echo "$o:"; tally print --compare; exit 1; }
	valgrind --tool=callgrind --dump-instr=yes --skip-plt=no --callgrind-out-file=cg.out ./plain >/dev/null 2>&1 || [ $? = 3 ]
	"$ROOT/test/selfcost" plain cg.out | sed "s,^main ,PASCALMAIN ," >theirs.all
	tally print -f 2>/dev/null | awk 'NR > 1 && $3 > 0 && !/^(INIT|FINALIZE)/ { print $1, $3 }' | LC_ALL=C sort >ours # these have two names
	cut -d' ' -f1 ours | while read -r f; do grep -F "$f " theirs.all || echo "$f -"; done >theirs
	[ "$(wc -l <ours)" -gt 10 ]
	diff -u --label "callgrind: $o" --label tally theirs ours
done

# Lines, and how it ended.  What is rebuilt is another program, also without a build id.
rm -rf ./*.o ./*.ppu tally.out
tally build --quiet fpc -O- -owords words.pas >/dev/null
./words >/dev/null || true
tally print --only=words.pas >out 2>/dev/null
grep -q '^ *601  begin$' out && grep -q '^ *1      halt(3);$' out && grep -q "^ *0 #  writeln('not reached');$" out || { cat out; exit 1; }
tally print --runs 2>/dev/null | grep -q 'the last 3$'
sed -i 's/1 to 300/1 to 200/' words.pas
tally build --quiet fpc -O- -owords words.pas >/dev/null
tally print -f 2>&1 | grep -q 'has changed since it ran'

# With a C library and threads.
cat >thr.pas <<'P'
program thr;
{$mode objfpc}
uses cthreads, classes;
type
  TWorker = class(TThread)
    n, sum: longint;
    procedure execute; override;
  end;
function twice(n: longint): longint;
begin
  if odd(n) then twice := 2 * n else twice := n;
end;
procedure TWorker.execute;
var i: longint;
begin
  for i := 1 to n do sum := sum + twice(i);
end;
var w: array[0..3] of TWorker; k: integer;
begin
  for k := 0 to 3 do begin w[k] := TWorker.create(true); w[k].n := 100000; w[k].start; end;
  for k := 0 to 3 do begin w[k].waitfor; writeln(w[k].sum); w[k].free; end;
end.
P
fpc -oplain thr.pas >/dev/null
rm -rf ./*.o ./*.ppu tally.out
tally build --quiet --counters=check fpc thr.pas >/dev/null
[ "$(./thr)" = "$(./plain)" ]
tally print --compare 2>/dev/null | grep -q '[1-9] blocks compared, 0 differences'
[ "$(tally print -f 2>/dev/null | awk '/TWICE/ { print $2 }')" = 400000 ]
