-- Statements that check themselves, and some whose output is compared.
CREATE TABLE n(i INTEGER PRIMARY KEY, sq INTEGER, name TEXT);
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000)
	INSERT INTO n SELECT x, x * x, printf('%05d-%x', x, x * 7919) FROM c;
SELECT iif(count(*) = 5000 AND sum(sq) = 41679167500, 'PASS', 'FAIL') || ' sums' FROM n;
CREATE INDEX nn ON n(name DESC);
CREATE INDEX ns ON n(sq % 97) WHERE i % 2;
EXPLAIN QUERY PLAN SELECT * FROM n WHERE name > '04990' ORDER BY name DESC;
SELECT * FROM n WHERE name > '04997' ORDER BY name DESC;
SELECT iif((SELECT count(*) FROM n WHERE sq % 97 = 1 AND i % 2) =
	(SELECT count(*) FROM n NOT INDEXED WHERE sq % 97 = 1 AND i % 2), 'PASS', 'FAIL') || ' partial index';
SELECT iif(count(*) = 669, 'PASS', 'FAIL') || ' primes' FROM (WITH RECURSIVE
	f(d) AS (SELECT 2 UNION ALL SELECT d + 1 FROM f WHERE d < 71)
	SELECT i FROM n WHERE i > 1 AND NOT EXISTS (SELECT 1 FROM f WHERE d * d <= i AND i % d = 0));
SELECT iif(a.c = b.c, 'PASS', 'FAIL') || ' joins' FROM
	(SELECT count(*) c FROM n x JOIN n y ON x.i = y.sq) a, (SELECT count(*) c FROM n x JOIN n y ON y.sq = x.i WHERE +y.i < 71) b;
SELECT g, c, s, r FROM (SELECT i % 7 g, count(*) c, sum(sq) s,
	rank() OVER (ORDER BY sum(sq) DESC) r FROM n GROUP BY 1 HAVING c > 700) ORDER BY r;
SELECT i, sum(i) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), lag(name, 3, '-') OVER w,
	ntile(4) OVER w FROM n WHERE i < 12 WINDOW w AS (ORDER BY i);
BEGIN;
DELETE FROM n WHERE i % 3 = 0;
SAVEPOINT s;
UPDATE n SET name = upper(name) || i WHERE name GLOB '*[a-f]';
ROLLBACK TO s;
SELECT iif(count(*) = 3334, 'PASS', 'FAIL') || ' savepoint' FROM n;
ROLLBACK;
SELECT iif(count(*) = 5000, 'PASS', 'FAIL') || ' rollback' FROM n;
CREATE TABLE log(what, at);
CREATE TRIGGER t AFTER UPDATE OF sq ON n BEGIN INSERT INTO log VALUES (old.sq || '>' || new.sq, new.i); END;
UPDATE n SET sq = sq + 1 WHERE i BETWEEN 100 AND 199;
SELECT iif(count(*) = 100 AND min(at) = 100, 'PASS', 'FAIL') || ' trigger' FROM log;
CREATE VIEW v AS SELECT name, length(name) l FROM n UNION SELECT what, at FROM log;
SELECT iif(count(*) = 5100, 'PASS', 'FAIL') || ' view' FROM v;
INSERT INTO n(i, sq) VALUES (1, 0) ON CONFLICT(i) DO UPDATE SET sq = excluded.sq - 1 RETURNING i, sq;
SELECT json_group_array(json_object('i', i, 'sq', sq)) FROM n WHERE i < 4;
SELECT iif(json_extract('{"a":[1,{"b":[true,null,"x\u00e9"]}]}', '$.a[1].b[2]') = 'xé', 'PASS', 'FAIL') || ' json';
SELECT iif(abs(sqrt(2) * sqrt(2) - 2) < 1e-9 AND round(pi(), 4) = 3.1416, 'PASS', 'FAIL') || ' math';
SELECT date('2024-02-28', '+1 day'), strftime('%j %W', '2023-12-31'), julianday('2000-01-01');
SELECT quote(x'00ff'), hex(zeroblob(3)), unicode('é'), substr('héllo', -4, 2), replace('aXbX', 'X', '--'), 'a' LIKE 'A';
SELECT CAST('12abc' AS INTEGER), 7 / 2, 7 % -3, 1e308 * 10, 9223372036854775807 + 1, typeof(1 || 2), 0.1 + 0.2;
CREATE TABLE parent(id INTEGER PRIMARY KEY);
PRAGMA foreign_keys = on;
CREATE TABLE child(p REFERENCES parent ON DELETE CASCADE, CHECK (p > 0));
INSERT INTO parent VALUES (1), (2);
INSERT INTO child VALUES (1), (1), (2);
INSERT INTO child VALUES (3);
INSERT INTO child VALUES (-1);
DELETE FROM parent WHERE id = 1;
SELECT iif(count(*) = 1, 'PASS', 'FAIL') || ' foreign keys' FROM child;
SELECT nosuch FROM n;
SELEC 1;
ALTER TABLE n RENAME COLUMN sq TO square;
ALTER TABLE n DROP COLUMN name;
DROP INDEX nn;
ALTER TABLE n DROP COLUMN name;
ANALYZE;
REINDEX;
SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2;
SELECT type, name, sql FROM sqlite_schema ORDER BY name;
PRAGMA integrity_check;
.mode box
SELECT * FROM n WHERE i > 4997;
.mode json
SELECT * FROM n WHERE i > 4997;
.schema child
.dump parent
EXPLAIN SELECT sum(i) FROM n WHERE i > 10;
