-- A ledger as schema version 1 wrote it; never change this file. anchor: b7b1e937cc9643f9b3c1997aa7c9449e 6 40963b87cfeb674e17033182e881a15c828c81509e5133a2a9919ed8b9ae8f63
PRAGMA application_id=99617392;
PRAGMA user_version=1;
BEGIN TRANSACTION;
CREATE TABLE accounts (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  principal TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('', 'hour', 'day', 'month', 'year')),
  budget TEXT NOT NULL,
  turn TEXT NOT NULL,
  spent TEXT NOT NULL CHECK (length(ltrim(spent, '0123456789')) = 0 AND length(spent) BETWEEN 1 AND 200 AND (spent = '0' OR substr(spent, 1, 1) <> '0')),
  cap TEXT NOT NULL CHECK (length(ltrim(cap, '0123456789')) = 0 AND length(cap) BETWEEN 1 AND 200 AND (cap = '0' OR substr(cap, 1, 1) <> '0')),
  delta_spent TEXT NOT NULL CHECK (length(ltrim(delta_spent, '0123456789')) = 0 AND length(delta_spent) BETWEEN 1 AND 200 AND (delta_spent = '0' OR substr(delta_spent, 1, 1) <> '0')),
  delta_cap TEXT NOT NULL CHECK (length(ltrim(delta_cap, '0123456789')) = 0 AND length(delta_cap) BETWEEN 1 AND 200 AND (delta_cap = '0' OR substr(delta_cap, 1, 1) <> '0')),
  curve TEXT NOT NULL,
  PRIMARY KEY (dataset, principal, period),
  CHECK (length(spent) < length(cap) OR (length(spent) = length(cap) AND spent <= cap)),
  CHECK (length(delta_spent) < length(delta_cap) OR (length(delta_spent) = length(delta_cap) AND delta_spent <= delta_cap))
) STRICT, WITHOUT ROWID;
INSERT INTO "accounts" VALUES('visits','','','{"delta":"0","epsilon":"1","kind":"pure"}','','9582295407246834460954224654831325546332175309209600000000000000000000000','47911477036234172304771123274156627731660876546048000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','ada','','{"delta":"0","epsilon":"1","kind":"pure"}','','9582295407246834460954224654831325546332175309209600000000000000000000000','47911477036234172304771123274156627731660876546048000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','bob','','{"delta":"0","epsilon":"1","kind":"pure"}','','0','47911477036234172304771123274156627731660876546048000000000000000000000000','0','0','');
CREATE TABLE closed_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "closed_keys" VALUES(X'979E66B4FA0F5257ED8F1303061AD2C7',5);
INSERT INTO "closed_keys" VALUES(X'D5A46827C1BFB55F6EE18669E47A2119',5);
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY CHECK (sequence >= 1),
  body TEXT NOT NULL CHECK (length(body) > 0),
  head TEXT NOT NULL CHECK (length(head) = 64)
) STRICT;
INSERT INTO "entries" VALUES(1,'{"dataset":"visits","kind":"register","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"1\",\"kind\":\"pure\"}"},"sequence":1,"time":1790000000000000000}','caa905883c573a771c82ed0271472b9c6d8f754f031b317e6a41f4c33849777f');
INSERT INTO "entries" VALUES(2,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"1\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}','b1c29aa8376ee0f2b9bee6d325c223d4b1bd018a59923fbe58049a97591f8c85');
INSERT INTO "entries" VALUES(3,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"1\",\"kind\":\"pure\"}"},"principal":"bob","sequence":3,"time":1790000000000000000}','8df7c2a6b603a9a58cfc118a848612839acaef400fa2e2cb23b4c21acd0f8bbb');
INSERT INTO "entries" VALUES(4,'{"accountant":"0.1.0","charged":{"pure":["1/10","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"q1","kind":"reserve","principal":"ada","request_hash":"c75de8c1b7c3ae5252091267a736a9bf57001d80e82668b3cb3cd09e2f6a43cb","sequence":4,"time":1790000000000000000}','00c5673f1e2c6a28a02135b783ce05b776c6ef9ded7de1f0b6cfb6fc0d2179eb');
INSERT INTO "entries" VALUES(5,'{"data_version":"v1","dataset":"visits","key":"q1","kind":"settle","principal":"ada","release":{"n":1},"request_hash":"c75de8c1b7c3ae5252091267a736a9bf57001d80e82668b3cb3cd09e2f6a43cb","reserve":4,"sequence":5,"time":1790000000000000000}','b32ae21520da54cff29958b940a12554be6078b56df23aee446822e9b506c11d');
INSERT INTO "entries" VALUES(6,'{"accountant":"0.1.0","charged":{"pure":["1/10","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"q2","kind":"reserve","principal":"ada","request_hash":"bee98bf120e8906382754c6be52860ac5dbc65a1ca4dbee7576267d8fd3367e1","sequence":6,"time":1790000000000000000}','40963b87cfeb674e17033182e881a15c828c81509e5133a2a9919ed8b9ae8f63');
CREATE TABLE identity (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL CHECK (length(name) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'b7b1e937cc9643f9b3c1997aa7c9449e');
CREATE TABLE open_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "open_keys" VALUES(X'3E7BC953BC61B2BF4E2511DE11FF27FD',6);
INSERT INTO "open_keys" VALUES(X'B386123B446B5F4780E31A07CABFBD18',6);
CREATE TRIGGER entries_never_update BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_never_delete BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
COMMIT;
