-- A ledger as schema version 2 wrote it; never change this file. anchor: b23cee1a0292459bb0f39cb1bef94754 20 49207216fb1181810bfdbb81ae010e342781d548afa66244220d7fc37051f494
PRAGMA application_id=99617392;
PRAGMA user_version=2;
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
INSERT INTO "closed_keys" VALUES(X'0C464E23961257BC249C7B56BECCE6F2',11);
INSERT INTO "closed_keys" VALUES(X'10F5FCCE370AB1A264BB52504FB75318',17);
INSERT INTO "closed_keys" VALUES(X'1418BC1331B1EA0835CEA3B3810B82C2',19);
INSERT INTO "closed_keys" VALUES(X'33EA13661EE3910470CFEB6F3EF3DDFF',12);
INSERT INTO "closed_keys" VALUES(X'389D1CD8943B55CEEA12D128CE9D886B',7);
INSERT INTO "closed_keys" VALUES(X'51F6E131599614C6EBF07936898C97E2',6);
INSERT INTO "closed_keys" VALUES(X'5386B07F59167C5C8C47414CF2F0DDA9',6);
INSERT INTO "closed_keys" VALUES(X'80384E2678A9591407AFE49C755F397C',18);
INSERT INTO "closed_keys" VALUES(X'872E125C266BC15053E5C6C99A15B148',14);
INSERT INTO "closed_keys" VALUES(X'8FB2A60441E7BCAA8DEF2959D6C8A38E',9);
INSERT INTO "closed_keys" VALUES(X'B76ADB157320C239F1F1A717729BB2E7',7);
INSERT INTO "closed_keys" VALUES(X'F681A38CC821BB46F65F14E8B85989DB',17);
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY CHECK (sequence >= 1),
  body TEXT NOT NULL CHECK (length(body) > 0),
  head TEXT NOT NULL CHECK (length(head) = 64)
) STRICT;
INSERT INTO "entries" VALUES(1,'{"dataset":"visits","kind":"register","ledger":"b23cee1a0292459bb0f39cb1bef94754","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"5\",\"kind\":\"pure\"}","day":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"4\"}"},"secret":"ce99e50bdf9f1bac60843d40e96421ca2ae56aa2951accdab426d42a21c90b16","sequence":1,"time":1790000000000000000}','892655113d468e2dbb2f9842c4313bfa8c6472e259b37bf3b850abe13133f007');
INSERT INTO "entries" VALUES(2,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"3\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}','d7dcf8d604b95a7fb11d509dc4e668f579050d0fa5f88f8e6796df63d50ee007');
INSERT INTO "entries" VALUES(3,'{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"9\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"principal":"bob","sequence":3,"time":1790000000000000000}','d6074c238266b8df471e0b14be5655fc043dbae92fafea17b6375a12cca98ebb');
INSERT INTO "entries" VALUES(4,'{"dataset":"concentrated","kind":"register","limits":{"":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"1\"}"},"sequence":4,"time":1790000000000000000}','774dd0b94dc3628147d9592d40bf3f7aece0cb680d7b9a6ebfa9e90dfd1077a1');
INSERT INTO "entries" VALUES(5,'{"accountant":"0.1.0","charged":{"pure":["1/10","0"],"zcdp":["1/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"settled","kind":"reserve","principal":"ada","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","sequence":5,"time":1790000000000000000}','7c169e7048e36a37471c88f3127744cf832a4422f735913d3e277213f3c28d67');
INSERT INTO "entries" VALUES(6,'{"data_version":"v1","dataset":"visits","key":"settled","kind":"settle","principal":"ada","release":{"list":[1.5,null,true],"n":1,"name":"é"},"request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","reserve":5,"sequence":6,"time":1790000000000000000}','4045c85f4e223f28102586211df19469dd4c1a1af51341222ec68e469c86a2b1');
INSERT INTO "entries" VALUES(7,'{"accountant":"0.1.0","answer":6,"charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"b","kind":"share","principal":"bob","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","seen":"b76adb157320c239f1f1a717729bb2e7","sequence":7,"time":1790000000000000000}','738dcc9294799f32f2fbfe4fbef5e4ec1ba7ee45b039d102e9fc06f57d868807');
INSERT INTO "entries" VALUES(8,'{"accountant":"0.1.0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost","kind":"reserve","principal":"ada","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","sequence":8,"time":1790000000000000000}','f5c9450e32c11c7fb75802301b709b38a18353b6ae82786c0ad1518b144830d0');
INSERT INTO "entries" VALUES(9,'{"data_version":"v1","dataset":"visits","failure":true,"key":"lost","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","reserve":8,"sequence":9,"time":1790000000000000000}','eb6ac11b7231dff7c704c1489905029e29f39b9d9f1237b3456bdd226f749fcb');
INSERT INTO "entries" VALUES(10,'{"accountant":"0.1.0","charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"reserve","principal":"ada","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","sequence":10,"time":1790000000000000000}','347d17c9aa25e0e2c97abf9f6f7adb17bc5a1e63d170a86665a071489cff66b0');
INSERT INTO "entries" VALUES(11,'{"charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"refund","principal":"ada","reason":"not begun","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","reserve":10,"reserved":1790000000000000000,"sequence":11,"time":1790000000000000000}','b255daa5fda241e887ea0795a905c01549f63316344865435736c691f330c6dd');
INSERT INTO "entries" VALUES(12,'{"dataset":"visits","failures":1,"kind":"unlock","principal":"ada","reason":"looked at","sequence":12,"time":1790003600000000000}','505bdc74a56063705ef2d587a50145b0a1ef703700536bcf3d9f487438a084e6');
INSERT INTO "entries" VALUES(13,'{"accountant":"0.1.0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost again","kind":"reserve","principal":"ada","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","sequence":13,"time":1790003600000000000}','62c27754596d72eab2c5d0a42b37ca3ebca62c1f4b2e0d1442a5ca0ec30f57c1');
INSERT INTO "entries" VALUES(14,'{"data_version":"v1","dataset":"visits","failure":true,"key":"lost again","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","reserve":13,"sequence":14,"time":1790003600000000000}','26f61c3390e4d5de474c6f5c66eb72d22e6ced2598b43319718369b144cf7775');
INSERT INTO "entries" VALUES(15,'{"accountant":"0.1.0","charged":{"pure":["2/5","0"],"zcdp":["2/25","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"2/5","kind":"laplace"},"key":"run","kind":"reserve","principal":"ada","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","sequence":15,"time":1790003600000000000}','ba82530a32b485320d8fc480f58fb516b50756a347a6659e1c8fd51eafb5d72e');
INSERT INTO "entries" VALUES(16,'{"data_version":"v1","dataset":"visits","key":"of the run","kind":"ask","principal":"ada","request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","run":15,"sequence":16,"time":1790003600000000000}','89c43e12289d5ae2ed89b10e4b481f4e9d808030cece06bfd766177fa257bd5b');
INSERT INTO "entries" VALUES(17,'{"data_version":"v1","dataset":"visits","key":"of the run","kind":"settle","principal":"ada","release":{"above":false},"request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","reserve":16,"sequence":17,"time":1790003600000000000}','e8a68475b4d344add658f1fceaaf5b122af1803211fed4dbaf17f2e23c29c5ed');
INSERT INTO "entries" VALUES(18,'{"data_version":"v1","dataset":"visits","key":"run","kind":"lose","principal":"ada","reason":"restored","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","reserve":15,"sequence":18,"time":1790003600000000000}','7562c146867987de6117b598d4756e35304368f6143563df0391ccf5c1613001');
INSERT INTO "entries" VALUES(19,'{"accountant":"0.1.0","anchor":"sfumato-anchor-1 b23cee1a0292459bb0f39cb1bef94754 17 e8a68475b4d344add658f1fceaaf5b122af1803211fed4dbaf17f2e23c29c5ed","kind":"restore","lost":[{"charged":{"pure":["1/10","0"],"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"],"zcdp":["1/200","0"]},"dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"principals":["ada","bob"]}],"reason":"a drill","sequence":19,"time":1790003600000000000}','534f35e38a3735189b07318c5cd5069c92f73dcfe7df2c70b849c6744519d8af');
INSERT INTO "entries" VALUES(20,'{"accountant":"0.1.0","charged":{"pure":["1/2","0"],"zcdp":["1/8","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"open","kind":"reserve","principal":"ada","request_hash":"2348f998744212575d85959674f9607ab26f67708a917157472832386337c904","sequence":20,"time":1790003600000000000}','49207216fb1181810bfdbb81ae010e342781d548afa66244220d7fc37051f494');
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
INSERT INTO "identity" VALUES(1,'b23cee1a0292459bb0f39cb1bef94754');
CREATE TABLE open_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence INTEGER NOT NULL REFERENCES entries (sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "open_keys" VALUES(X'8BF64D1D7EBF2527E68B915B969489C8',20);
INSERT INTO "open_keys" VALUES(X'ED87878BF869D5944ED98DCF46C643B1',20);
CREATE TRIGGER entries_never_update BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_never_delete BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
COMMIT;
