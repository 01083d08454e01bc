--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: ledger; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA ledger;


--
-- Name: ledger_refuse(); Type: FUNCTION; Schema: ledger; Owner: -
--

CREATE FUNCTION ledger.ledger_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: accounts; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.accounts (
    dataset text NOT NULL,
    principal text NOT NULL,
    period text NOT NULL,
    budget text NOT NULL,
    turn text NOT NULL,
    spent text NOT NULL,
    cap text NOT NULL,
    delta_spent text NOT NULL,
    delta_cap text NOT NULL,
    curve text NOT NULL,
    CONSTRAINT accounts_cap_check CHECK (((length(ltrim(cap, '0123456789'::text)) = 0) AND ((length(cap) >= 1) AND (length(cap) <= 200)) AND ((cap = '0'::text) OR (substr(cap, 1, 1) <> '0'::text)))),
    CONSTRAINT accounts_check CHECK (((length(spent) < length(cap)) OR ((length(spent) = length(cap)) AND (spent <= cap)))),
    CONSTRAINT accounts_check1 CHECK (((length(delta_spent) < length(delta_cap)) OR ((length(delta_spent) = length(delta_cap)) AND (delta_spent <= delta_cap)))),
    CONSTRAINT accounts_dataset_check CHECK ((dataset <> ''::text)),
    CONSTRAINT accounts_delta_cap_check CHECK (((length(ltrim(delta_cap, '0123456789'::text)) = 0) AND ((length(delta_cap) >= 1) AND (length(delta_cap) <= 200)) AND ((delta_cap = '0'::text) OR (substr(delta_cap, 1, 1) <> '0'::text)))),
    CONSTRAINT accounts_delta_spent_check CHECK (((length(ltrim(delta_spent, '0123456789'::text)) = 0) AND ((length(delta_spent) >= 1) AND (length(delta_spent) <= 200)) AND ((delta_spent = '0'::text) OR (substr(delta_spent, 1, 1) <> '0'::text)))),
    CONSTRAINT accounts_period_check CHECK ((period = ANY (ARRAY[''::text, 'hour'::text, 'day'::text, 'month'::text, 'year'::text]))),
    CONSTRAINT accounts_spent_check CHECK (((length(ltrim(spent, '0123456789'::text)) = 0) AND ((length(spent) >= 1) AND (length(spent) <= 200)) AND ((spent = '0'::text) OR (substr(spent, 1, 1) <> '0'::text))))
);


--
-- Name: closed_keys; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.closed_keys (
    name bytea NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT closed_keys_name_check CHECK ((length(name) = 16))
);


--
-- Name: entries; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.entries (
    sequence bigint NOT NULL,
    body text NOT NULL,
    head text NOT NULL,
    CONSTRAINT entries_body_check CHECK ((length(body) > 0)),
    CONSTRAINT entries_head_check CHECK ((length(head) = 64)),
    CONSTRAINT entries_sequence_check CHECK ((sequence >= 1))
);


--
-- Name: identity; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.identity (
    one bigint NOT NULL,
    name text NOT NULL,
    CONSTRAINT identity_name_check CHECK ((length(name) = 32)),
    CONSTRAINT identity_one_check CHECK ((one = 1))
);


--
-- Name: open_keys; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.open_keys (
    name bytea NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT open_keys_name_check CHECK ((length(name) = 16))
);


--
-- Name: schema_version; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.schema_version (
    version bigint NOT NULL
);


--
-- Name: turnstile; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.turnstile (
);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.accounts VALUES ('visits', 'ada', '', '{"delta":"1/10000000","epsilon":"4","kind":"pure"}', '', '45515903184422463689532567110448796345077832718745600000000000000000000000', '191645908144936689219084493096626510926643506184192000000000000000000000000', '0', '4791147703623417230477112327415662773166087654604800000000000000000', '');
INSERT INTO ledger.accounts VALUES ('clicks', '', '', '{"delta":"1/1000000","epsilon":"3","kind":"rdp","orders":["3/2","2","3","5","8","16","32","64","256"]}', '', '3407038367024195817931650015988548901147135964138176208496093750000000000', '131029613696854885285124911212969586495737518140893436889648437500000000000', '0', '23955738518117086152385561637078313865830438273024000000000000000000', '["79852461727129599871918545184620985749244365308005570650100708007812500","106469948969506119310364062999642153160847998879318006515502929687500000","159704923454259199743837090369241971498488730616011141300201416015625000","266174872423765298275910157499105382902119997198295016288757324218750000","425879795878024477241456251998568612643391995517272026062011718750000000","851759591756048954482912503997137225286783991034544052124023437500000000","1703519183512097908965825007994274450573567982069088104248046875000000000","3407038367024195817931650015988548901147135964138176208496093750000000000","13628153468096783271726600063954195604588543856552704833984375000000000000"]');
INSERT INTO ledger.accounts VALUES ('clicks', 'bob', '', '{"delta":"1/1000000","epsilon":"2","kind":"rdp","orders":["3/2","2","3","5","8","16","32","64","256"]}', '', '3407038367024195817931650015988548901147135964138176208496093750000000000', '83118136660620712980353787938812958764076641594845436889648437500000000000', '0', '23955738518117086152385561637078313865830438273024000000000000000000', '["79852461727129599871918545184620985749244365308005570650100708007812500","106469948969506119310364062999642153160847998879318006515502929687500000","159704923454259199743837090369241971498488730616011141300201416015625000","266174872423765298275910157499105382902119997198295016288757324218750000","425879795878024477241456251998568612643391995517272026062011718750000000","851759591756048954482912503997137225286783991034544052124023437500000000","1703519183512097908965825007994274450573567982069088104248046875000000000","3407038367024195817931650015988548901147135964138176208496093750000000000","13628153468096783271726600063954195604588543856552704833984375000000000000"]');
INSERT INTO ledger.accounts VALUES ('sensors', '', '', '{"delta":"1/1000000000","kind":"zcdp","rho":"1/2"}', '', '74861682869115894226204880115869730830720119603200000000000000000000000', '23955738518117086152385561637078313865830438273024000000000000000000000000', '0', '47911477036234172304771123274156627731660876546048000000000000000', '');
INSERT INTO ledger.accounts VALUES ('sensors', 'ada', '', '{"delta":"0","kind":"zcdp","rho":"1/4"}', '', '74861682869115894226204880115869730830720119603200000000000000000000000', '11977869259058543076192780818539156932915219136512000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'bob', '', '{"delta":"0","epsilon":"4","kind":"pure"}', '', '51904100122587019996835383547003013375965949591552000000000000000000000000', '191645908144936689219084493096626510926643506184192000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'bob', 'day', '{"delta":"0","epsilon":"2","kind":"pure"}', '2026-09-21', '51904100122587019996835383547003013375965949591552000000000000000000000000', '95822954072468344609542246548313255463321753092096000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', '', '', '{"delta":"1/1000000","epsilon":"10","kind":"pure"}', '', '61486395529833854457789608201834338922298124900761600000000000000000000000', '479114770362341723047711232741566277316608765460480000000000000000000000000', '0', '47911477036234172304771123274156627731660876546048000000000000000000', '');
INSERT INTO ledger.accounts VALUES ('visits', '', 'hour', '{"delta":"0","epsilon":"4","kind":"pure"}', '2026-09-21T15', '21560164666305377537147005473370482479247394445721600000000000000000000000', '191645908144936689219084493096626510926643506184192000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', '', 'month', '{"delta":"1/1000000","epsilon":"5","kind":"pure"}', '2026-09', '61486395529833854457789608201834338922298124900761600000000000000000000000', '239557385181170861523855616370783138658304382730240000000000000000000000000', '0', '47911477036234172304771123274156627731660876546048000000000000000000', '');


--
-- Data for Name: closed_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.closed_keys VALUES ('\xb65d0a392bc0c1aeeff77cff13963fad', 9);
INSERT INTO ledger.closed_keys VALUES ('\x3f57a4d15a5de6e96c27df8dcb42f346', 9);
INSERT INTO ledger.closed_keys VALUES ('\xfedda9fef1301081213ab605500e09ad', 10);
INSERT INTO ledger.closed_keys VALUES ('\xa116f2f1249b568b6faae5c8644be2b7', 10);
INSERT INTO ledger.closed_keys VALUES ('\xcc64291622818b5489dffbe7bd6e730a', 12);
INSERT INTO ledger.closed_keys VALUES ('\xcfae5d081d37e979c8966815b372d1c2', 14);
INSERT INTO ledger.closed_keys VALUES ('\xc997ca837ffff639a8aa49d1a3bc5320', 16);
INSERT INTO ledger.closed_keys VALUES ('\x43f779b87de6b5429129c9c826bcb85d', 16);
INSERT INTO ledger.closed_keys VALUES ('\x5bbbf8f0376387582ffaaad127222077', 18);
INSERT INTO ledger.closed_keys VALUES ('\xcdcc8f3a21585a1357d6a6273c9f185f', 18);
INSERT INTO ledger.closed_keys VALUES ('\xfb9f58ab5d2315065ea31ccc9b58416e', 20);
INSERT INTO ledger.closed_keys VALUES ('\xb365d45c7ef21f2fc8e456cefb8e9edb', 21);


--
-- Data for Name: entries; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.entries VALUES (1, '{"dataset":"visits","kind":"register","ledger":"c5e330c87c3445399294ae972b69d774","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"10\",\"kind\":\"pure\"}","hour":"{\"delta\":\"0\",\"epsilon\":\"4\",\"kind\":\"pure\"}","month":"{\"delta\":\"1/1000000\",\"epsilon\":\"5\",\"kind\":\"pure\"}"},"secret":"647f0bbc320b0e6e575952596c6653166bfb5f126c982d57635d9dd4a0266bf8","sequence":1,"time":1790000000000000000}', '09b3ffd8411ce172c40d6aceeaff7598a7763d2691b01c7384b9c4c50cc91595');
INSERT INTO ledger.entries VALUES (2, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"1/10000000\",\"epsilon\":\"4\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}', '75824badbb55f85a0042d1a8bd1174082cb5ecda4d75ef437f3366e865d5e0f1');
INSERT INTO ledger.entries VALUES (3, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"4\",\"kind\":\"pure\"}","day":"{\"delta\":\"0\",\"epsilon\":\"2\",\"kind\":\"pure\"}"},"principal":"bob","sequence":3,"time":1790000000000000000}', '01109a41c8ba4c4ecabfcbf98ac4368608d86be770304230cb64dc200bb723f5');
INSERT INTO ledger.entries VALUES (4, '{"dataset":"sensors","kind":"register","limits":{"":"{\"delta\":\"1/1000000000\",\"kind\":\"zcdp\",\"rho\":\"1/2\"}"},"sequence":4,"time":1790000000000000000}', 'ccc484a836c05b950e24d89c0c24af18d319712f4ec15b6ca918c9b8a447e0c2');
INSERT INTO ledger.entries VALUES (5, '{"dataset":"sensors","kind":"grant","limits":{"":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"1/4\"}"},"principal":"ada","sequence":5,"time":1790000000000000000}', '495c4137b0ef576c6db117892346cd6eb5b2c5d0ca92a2bd5f2f24d4b8c547a9');
INSERT INTO ledger.entries VALUES (6, '{"dataset":"clicks","kind":"register","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"3\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"sequence":6,"time":1790000000000000000}', '2daa8d2eebe941b67f93c6822fdf15fc3af609653faedbe1e5ca4a8f2bab6590');
INSERT INTO ledger.entries VALUES (7, '{"dataset":"clicks","kind":"grant","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"2\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"principal":"bob","sequence":7,"time":1790000000000000000}', 'b2b8cd400cb5c154ac6dcc04ae367db8cae9e2b0171b8c192d636e595634d90f');
INSERT INTO ledger.entries VALUES (8, '{"accountant":"0.1.0","charged":{"pure":["1/2","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"1","kind":"reserve","principal":"ada","request_hash":"6c35493a2b937829c9815c39e23af964bc84e5430a7dc104c700bbc0de2b59e3","sequence":8,"time":1790000000000000000}', '5dd069a3641e243eeeff2683cdfcae3d38880ddcc1b6a7981ad7ce8a6af5b68c');
INSERT INTO ledger.entries VALUES (9, '{"data_version":"v1","dataset":"visits","key":"1","kind":"settle","principal":"ada","release":{"keys":[[]],"noisy":[[42]]},"request_hash":"6c35493a2b937829c9815c39e23af964bc84e5430a7dc104c700bbc0de2b59e3","reserve":8,"sequence":9,"time":1790000001000000000}', '9f548e0a425c4caa16aa7ef5b988dc4458636db04178e05e9dea453dc0a9bea7');
INSERT INTO ledger.entries VALUES (10, '{"accountant":"0.1.0","answer":9,"charged":{"pure":["1/2","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"2","kind":"share","principal":"bob","request_hash":"6c35493a2b937829c9815c39e23af964bc84e5430a7dc104c700bbc0de2b59e3","seen":"a116f2f1249b568b6faae5c8644be2b7","sequence":10,"time":1790000001000000000}', '73e84c9639e9e7f6f2f7802b9e589c5a16592bc6139d255984399e0cef5ce47e');
INSERT INTO ledger.entries VALUES (11, '{"accountant":"0.1.0","charged":{"pure":["1/3","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/3","kind":"pure"},"key":"3","kind":"reserve","principal":"bob","request_hash":"d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa","sequence":11,"time":1790000001000000000}', '7fb6a7d96f7483a8cc18a27dbee6f6d57b9504fa0cccf3aec24fc3ca40582e0c');
INSERT INTO ledger.entries VALUES (12, '{"data_version":"v1","dataset":"visits","key":"3","kind":"lose","principal":"bob","reason":"the engine did not finish","request_hash":"d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa","reserve":11,"sequence":12,"time":1790000002000000000}', '32c80dd4006184a061f1f9f6673347862a215f626105efd2317962b5aed48034');
INSERT INTO ledger.entries VALUES (13, '{"accountant":"0.1.0","charged":{"pure":["16/63","0"]},"data_version":"v1","dataset":"visits","event":{"kind":"composition","parts":[[{"epsilon":"1/7","kind":"pure"},1],[{"epsilon":"1/9","kind":"laplace"},1]]},"key":"4","kind":"reserve","principal":"bob","request_hash":"b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927","sequence":13,"time":1790000002000000000}', '5c0fc6e74608736fc183cfa4501934c18ad846e82e4bd07ae1b41badf6736aca');
INSERT INTO ledger.entries VALUES (14, '{"charged":{"pure":["16/63","0"]},"data_version":"v1","dataset":"visits","event":{"kind":"composition","parts":[[{"epsilon":"1/7","kind":"pure"},1],[{"epsilon":"1/9","kind":"laplace"},1]]},"key":"4","kind":"refund","principal":"bob","reason":"the question was cancelled","request_hash":"b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927","reserve":13,"reserved":1790000002000000000,"sequence":14,"time":1790000002000000000}', '10bd87ac6d9419bbc36e794b21362e396abccd85f2424041008d03f3d617a11e');
INSERT INTO ledger.entries VALUES (15, '{"accountant":"0.1.0","charged":{"zcdp":["1/800","0"]},"data_version":"v1","dataset":"sensors","event":{"kind":"gaussian","sensitivity":"1","sigma":"20"},"key":"5","kind":"reserve","principal":"ada","request_hash":"cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29","sequence":15,"time":1790000002000000000}', 'f88a8cf7aeb5ffafe6ff1c6989e95b2bd631704b8ec2f9ff0d55055726a31a11');
INSERT INTO ledger.entries VALUES (16, '{"data_version":"v1","dataset":"sensors","key":"5","kind":"settle","principal":"ada","release":{"keys":[["é",null,1.5,"2026-01-31"]],"noisy":[[1,-2,[3.5,3.0,4.0]]]},"request_hash":"cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29","reserve":15,"sequence":16,"time":1790000002000000000}', '5215350dfdb6e34e8c303c27cf906dfce8f034f52de45aebd2b79489c4ecf51c');
INSERT INTO ledger.entries VALUES (17, '{"accountant":"0.1.0","charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["7686143364052639/9223372036854775808","1281023894008773/1152921504606846976","7686143364052639/4611686018427387904","6405119470043865/2305843009213693952","1281023894008773/288230376151711744","1281023894008773/144115188075855872","1281023894008773/72057594037927936","1281023894008773/36028797018963968","1281023894008773/9007199254740992","0"]},"data_version":"v1","dataset":"clicks","event":{"kind":"gaussian","sensitivity":"1","sigma":"30"},"key":"6","kind":"reserve","principal":"bob","request_hash":"cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29","sequence":17,"time":1790000002000000000}', '1c18c8176cdd2c4c437e889e102aa23850150604337c56c9fc07f6281367da61');
INSERT INTO ledger.entries VALUES (18, '{"data_version":"v1","dataset":"clicks","key":"6","kind":"settle","principal":"bob","release":{"chosen":3},"request_hash":"cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29","reserve":17,"sequence":18,"time":1790003602000000000}', '488d81b8f1a0f21230f99db09af836f110cfd51d8008a2fb961a6b3b96866793');
INSERT INTO ledger.entries VALUES (19, '{"accountant":"0.1.0","charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["7686143364052639/9223372036854775808","1281023894008773/1152921504606846976","7686143364052639/4611686018427387904","6405119470043865/2305843009213693952","1281023894008773/288230376151711744","1281023894008773/144115188075855872","1281023894008773/72057594037927936","1281023894008773/36028797018963968","1281023894008773/9007199254740992","0"]},"data_version":"v1","dataset":"clicks","event":{"kind":"gaussian","sensitivity":"1","sigma":"30"},"key":"7","kind":"reserve","principal":"bob","request_hash":"aaa9402664f1a41f40ebbc52c9993eb66aeb366602958fdfaa283b71e64db123","sequence":19,"time":1790003602000000000}', 'dfaffc3c578307dcac306bae61ce3f4ca15d0ad043eaa2fe50a0c97b1f3e49e4');
INSERT INTO ledger.entries VALUES (20, '{"data_version":"v1","dataset":"clicks","key":"7","kind":"lose","principal":"bob","reason":"restored","request_hash":"aaa9402664f1a41f40ebbc52c9993eb66aeb366602958fdfaa283b71e64db123","reserve":19,"sequence":20,"time":1790003602000000000}', '0bb83091451160e629df12c5dc50cbd4628899b86549294e9e9bf0b20608236a');
INSERT INTO ledger.entries VALUES (21, '{"accountant":"0.1.0","anchor":"sfumato-anchor-1 c5e330c87c3445399294ae972b69d774 19 dfaffc3c578307dcac306bae61ce3f4ca15d0ad043eaa2fe50a0c97b1f3e49e4","kind":"restore","lost":[{"charged":{"zcdp":["1/3200","0"]},"dataset":"sensors","event":{"kind":"gaussian","sensitivity":"1","sigma":"40"},"principals":["ada"]},{"charged":{"pure":["1/4","0"]},"dataset":"visits","event":{"epsilon":"1/4","kind":"pure"},"principals":["ada","bob"]}],"reason":"a disk was replaced","sequence":21,"time":1790003602000000000}', 'dacf44d9f7d49b76ae8199e229e20c0d57eccfdd91d04582542bbdd371b07676');
INSERT INTO ledger.entries VALUES (22, '{"accountant":"0.1.0","charged":{"pure":["1/5","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"pure"},"key":"8","kind":"reserve","principal":"ada","request_hash":"95c528874e8a06b206d21a5f18e02fda1f53e0060bae92d9cbc02e64b3a03e1b","sequence":22,"time":1790003602000000000}', '11a70d9ecd15bd52d9e61c0936467bc3186ea4a34c0a7499bf53fb958eff7941');


--
-- Data for Name: identity; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.identity VALUES (1, 'c5e330c87c3445399294ae972b69d774');


--
-- Data for Name: open_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.open_keys VALUES ('\x6a39273f9a8f380476a4e68bb84e819c', 22);
INSERT INTO ledger.open_keys VALUES ('\xb3fbc36322fc0b82704653e53f6c26de', 22);


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.schema_version VALUES (1);


--
-- Data for Name: turnstile; Type: TABLE DATA; Schema: ledger; Owner: -
--



--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (dataset, principal, period);


--
-- Name: closed_keys closed_keys_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.closed_keys
    ADD CONSTRAINT closed_keys_pkey PRIMARY KEY (name);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (sequence);


--
-- Name: identity identity_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.identity
    ADD CONSTRAINT identity_pkey PRIMARY KEY (one);


--
-- Name: open_keys open_keys_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.open_keys
    ADD CONSTRAINT open_keys_pkey PRIMARY KEY (name);


--
-- Name: entries entries_never_change; Type: TRIGGER; Schema: ledger; Owner: -
--

CREATE TRIGGER entries_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entries FOR EACH STATEMENT EXECUTE FUNCTION ledger.ledger_refuse();


--
-- Name: closed_keys closed_keys_sequence_fkey; Type: FK CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.closed_keys
    ADD CONSTRAINT closed_keys_sequence_fkey FOREIGN KEY (sequence) REFERENCES ledger.entries(sequence);


--
-- Name: open_keys open_keys_sequence_fkey; Type: FK CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.open_keys
    ADD CONSTRAINT open_keys_sequence_fkey FOREIGN KEY (sequence) REFERENCES ledger.entries(sequence);


--
-- PostgreSQL database dump complete
--


