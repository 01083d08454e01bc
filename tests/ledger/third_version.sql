-- A ledger as schema version 3 wrote it; never change this file. anchor: 63308d5a32e8465986810e4acfca3e2d 21 f1a52b038f5889d6c3a49982cb8cb9832a3dbe5cd51f87a832803e7c08cbb98c
PRAGMA application_id=99617392;
PRAGMA user_version=3;
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
INSERT INTO "accounts" VALUES('concentrated','','','{"delta":"0","kind":"zcdp","rho":"1"}','','0','47911477036234172304771123274156627731660876546048000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','','','{"delta":"0","epsilon":"5","kind":"pure"}','','71867215554351258457156684911234941597491314819072000000000000000000000000','239557385181170861523855616370783138658304382730240000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','','day','{"delta":"0","kind":"zcdp","rho":"4"}','2026-09-21','12217426644239713937716636434909940071573523519242240000000000000000000000','191645908144936689219084493096626510926643506184192000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','ada','','{"delta":"0","epsilon":"3","kind":"pure"}','','71867215554351258457156684911234941597491314819072000000000000000000000000','143734431108702516914313369822469883194982629638144000000000000000000000000','0','0','');
INSERT INTO "accounts" VALUES('visits','bob','','{"delta":"1/1000000","epsilon":"9","kind":"rdp","orders":["3/2","2","3","5","8","16","32","64","256"]}','','9322561786726752976854552834723504488938871855246841247558593750000000000','428064456083180488990938515845770248681996879191236179946899414062500000000','0','23955738518117086152385561637078313865830438273024000000000000000000','["694475459606887755380382879128926755562725962799838165283203125000000000","924136484953771165051537377132077582899587182706874019622802734375000000","1377532833852372938954748541307592590706022674487002182006835937500000000","2247498114365609090774412053637845397737306312777830902099609375000000000","3418653822259980711580131200060681266641946816948890243530273437500000000","5621406624174994029408751971802540875856495840977649291992187500000000000","7493906813475579830997840607532188034269902396668139129638671875000000000","8539953086375338517623521499707409172155163934097747467041015625000000000","9322561786726752976854552834723504488938871855246841247558593750000000000"]');
CREATE TABLE closed_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "closed_keys" VALUES(X'0C464E23961257BC249C7B56BECCE6F2',12);
INSERT INTO "closed_keys" VALUES(X'10F5FCCE370AB1A264BB52504FB75318',19);
INSERT INTO "closed_keys" VALUES(X'3271B58B32BB6F35753045D43E3B24F8',20);
INSERT INTO "closed_keys" VALUES(X'389D1CD8943B55CEEA12D128CE9D886B',8);
INSERT INTO "closed_keys" VALUES(X'51F6E131599614C6EBF07936898C97E2',7);
INSERT INTO "closed_keys" VALUES(X'5386B07F59167C5C8C47414CF2F0DDA9',7);
INSERT INTO "closed_keys" VALUES(X'80384E2678A9591407AFE49C755F397C',17);
INSERT INTO "closed_keys" VALUES(X'872E125C266BC15053E5C6C99A15B148',15);
INSERT INTO "closed_keys" VALUES(X'8FB2A60441E7BCAA8DEF2959D6C8A38E',10);
INSERT INTO "closed_keys" VALUES(X'9C458193777D60926F23B2E834C167F0',13);
INSERT INTO "closed_keys" VALUES(X'B76ADB157320C239F1F1A717729BB2E7',8);
INSERT INTO "closed_keys" VALUES(X'DD0040F499984BAF242855F1FD5C6816',17);
INSERT INTO "closed_keys" VALUES(X'F681A38CC821BB46F65F14E8B85989DB',19);
CREATE TABLE declarations (
  dataset TEXT NOT NULL PRIMARY KEY CHECK (dataset <> ''),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "declarations" VALUES('visits',5);
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY CHECK (sequence >= 1),
  body TEXT NOT NULL CHECK (length(body) > 0),
  head TEXT NOT NULL CHECK (length(head) = 64)
) STRICT;
INSERT INTO "entries" VALUES(1,'{"dataset":"visits","kind":"register","ledger":"63308d5a32e8465986810e4acfca3e2d","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"5\",\"kind\":\"pure\"}","day":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"4\"}"},"secret":"c6f2bb7c331ff292517b52d7d5f60cbe8803a10e96e1ed1450ed129178989893","sequence":1,"time":1790000000000000000}','b81d5ef07e72eb352027dc366b2876b6df1ce3cd017240c60200bae05efbecc1');
INSERT INTO "entries" VALUES(2,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"3\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}','8560d00a93e24cecdf43b10dfcc14e40aabe25b5f43507422f3764f94220e746');
INSERT INTO "entries" VALUES(3,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"9\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"principal":"bob","sequence":3,"time":1790000000000000000}','40e68b8bac8d79dd46d2dbf27305675f34f942127ca723ff26ca9c0809374617');
INSERT INTO "entries" VALUES(4,'{"dataset":"concentrated","kind":"register","limits":{"":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"1\"}"},"sequence":4,"time":1790000000000000000}','73c2f6b542ca04db15be481db50106d9a02e45f61ca1f03eb73b5f87f2585ef0');
INSERT INTO "entries" VALUES(5,'{"data_version":"v1","dataset":"visits","declaration":{"tables":{"users":{}}},"kind":"declare","sequence":5,"time":1790000000000000000,"unit":"users.id"}','fe631a655fd60f3af6ee75829bd6c21cba8c81250597ca616f77b5d3fb057f4b');
INSERT INTO "entries" VALUES(6,'{"accountant":"0.2.0.dev0","charged":{"pure":["1/10","0"],"zcdp":["1/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"settled","kind":"reserve","principal":"ada","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","sequence":6,"time":1790000000000000000}','a42ad02822897b136667b943a51014c9f5dc6b96ee51648996fbf1ef81578c5f');
INSERT INTO "entries" VALUES(7,'{"data_version":"v1","dataset":"visits","key":"settled","kind":"settle","principal":"ada","release":{"list":[1.5,null,true],"n":1,"name":"é"},"request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","reserve":6,"sequence":7,"time":1790000000000000000}','4dc5bea35b3fb77a3666a34df961afa22baa4d27c8084a8080f6963081b157eb');
INSERT INTO "entries" VALUES(8,'{"accountant":"0.2.0.dev0","answer":7,"charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"b","kind":"share","principal":"bob","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","seen":"b76adb157320c239f1f1a717729bb2e7","sequence":8,"time":1790000000000000000}','7ac83e793c127976aab94cc12e7843d84e786589b658687594cecaac209a230c');
INSERT INTO "entries" VALUES(9,'{"accountant":"0.2.0.dev0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost","kind":"reserve","principal":"ada","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","sequence":9,"time":1790000000000000000}','51d0f246f8785dcfd9d246c127e74abcc1e7c13dd3ef9d8b6a5231fcb3d6e508');
INSERT INTO "entries" VALUES(10,'{"data_version":"v1","dataset":"visits","failure":true,"key":"lost","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","reserve":9,"sequence":10,"time":1790000000000000000}','ed5ca9b9cb1498ee16637d39df6ad9ceddb1fcd56f476ec8492a293152d4ba55');
INSERT INTO "entries" VALUES(11,'{"accountant":"0.2.0.dev0","charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"reserve","principal":"ada","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","sequence":11,"time":1790000000000000000}','fabcf55b1aaef06e8ea286ac84d9b6f2e8b2947d8aa78ec7ac90c3ce76bd8b35');
INSERT INTO "entries" VALUES(12,'{"charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"refund","principal":"ada","reason":"not begun","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","reserve":11,"reserved":1790000000000000000,"sequence":12,"time":1790000000000000000}','83781be66f0dba3aaefa999113b857f4a7206b5ea0caa5b400d678a3fb8a157b');
INSERT INTO "entries" VALUES(13,'{"dataset":"visits","failures":1,"kind":"unlock","principal":"ada","reason":"looked at","sequence":13,"time":1790003600000000000}','e8a845bbf4c753ade8141b7cb2ff27bb252315a731187937f92dbead37079ebe');
INSERT INTO "entries" VALUES(14,'{"accountant":"0.2.0.dev0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost again","kind":"reserve","principal":"ada","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","sequence":14,"time":1790003600000000000}','364d232cc974aab07835f36b5dee92babe6325c44421486ef2a83d37b54abfb6');
INSERT INTO "entries" VALUES(15,'{"data_version":"v1","dataset":"visits","failure":true,"key":"lost again","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","reserve":14,"sequence":15,"time":1790003600000000000}','bc0def75c04c1844e8382d360e3de4103fb35ace7865bb17c91cc25e66864dfc');
INSERT INTO "entries" VALUES(16,'{"accountant":"0.2.0.dev0","charged":{"pure":["2/5","0"],"zcdp":["2/25","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"2/5","kind":"laplace"},"key":"run","kind":"reserve","principal":"ada","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","sequence":16,"time":1790003600000000000}','d5717f20236a5366570274bf89387cfa24a5cdb6b4d3b5ffc6bc5a7e74c46a90');
INSERT INTO "entries" VALUES(17,'{"data_version":"v1","dataset":"visits","key":"run","kind":"settle","principal":"ada","release":{"watch":"begun"},"request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","reserve":16,"sequence":17,"time":1790003600000000000}','ddd63f79f636dd054948c418e435c59f8c11a2173bdd025237773f3424eed2db');
INSERT INTO "entries" VALUES(18,'{"data_version":"v1","dataset":"visits","key":"of the run","kind":"ask","principal":"ada","request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","run":17,"sequence":18,"time":1790003600000000000}','7fb812ed011cef37f021745d5349fb51845ac37eedbcbd9eec6c117f9fb93bd0');
INSERT INTO "entries" VALUES(19,'{"data_version":"v1","dataset":"visits","key":"of the run","kind":"settle","principal":"ada","release":{"above":false},"request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","reserve":18,"sequence":19,"time":1790003600000000000}','b54d748e19e4e697c5eeb1eb5e1b18b87558a781a99374df56e8456ba91bc082');
INSERT INTO "entries" VALUES(20,'{"accountant":"0.2.0.dev0","anchor":"sfumato-anchor-1 63308d5a32e8465986810e4acfca3e2d 19 b54d748e19e4e697c5eeb1eb5e1b18b87558a781a99374df56e8456ba91bc082","kind":"restore","lost":[{"charged":{"pure":["1/10","0"],"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"],"zcdp":["1/200","0"]},"dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"principals":["ada","bob"]}],"reason":"a drill","sequence":20,"time":1790003600000000000}','68167e1451d3b5e3d3a9512c967b9c24d5ac73fab6c7daf23df198757dee976e');
INSERT INTO "entries" VALUES(21,'{"accountant":"0.2.0.dev0","charged":{"pure":["1/2","0"],"zcdp":["1/8","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"open","kind":"reserve","principal":"ada","request_hash":"2348f998744212575d85959674f9607ab26f67708a917157472832386337c904","sequence":21,"time":1790003600000000000}','f1a52b038f5889d6c3a49982cb8cb9832a3dbe5cd51f87a832803e7c08cbb98c');
CREATE TABLE failures (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  principal TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  PRIMARY KEY (dataset, principal)
) STRICT, WITHOUT ROWID;
INSERT INTO "failures" VALUES('visits','',2);
INSERT INTO "failures" VALUES('visits','ada',1);
CREATE TABLE identity (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL CHECK (length(name) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'63308d5a32e8465986810e4acfca3e2d');
CREATE TABLE open_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "open_keys" VALUES(X'8BF64D1D7EBF2527E68B915B969489C8',21);
INSERT INTO "open_keys" VALUES(X'ED87878BF869D5944ED98DCF46C643B1',21);
CREATE TRIGGER entries_never_update BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_never_delete BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
COMMIT;
