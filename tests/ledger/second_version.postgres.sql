-- A ledger as schema version 2 wrote it; never change this file. anchor: 848289a554fa4503bcb959f4cae24fd8 20 4c12832665512abe1f6ccd54bf534ba05b915b3b57145a8aeee5a23709299697
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
-- Name: failures; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.failures (
    dataset text NOT NULL,
    principal text NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT failures_dataset_check CHECK ((dataset <> ''::text)),
    CONSTRAINT failures_number_check CHECK ((number >= 1))
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

INSERT INTO ledger.accounts VALUES ('concentrated', '', '', '{"delta":"0","kind":"zcdp","rho":"1"}', '', '0', '47911477036234172304771123274156627731660876546048000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'ada', '', '{"delta":"0","epsilon":"3","kind":"pure"}', '', '71867215554351258457156684911234941597491314819072000000000000000000000000', '143734431108702516914313369822469883194982629638144000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', '', '', '{"delta":"0","epsilon":"5","kind":"pure"}', '', '71867215554351258457156684911234941597491314819072000000000000000000000000', '239557385181170861523855616370783138658304382730240000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', '', 'day', '{"delta":"0","kind":"zcdp","rho":"4"}', '2026-09-21', '12217426644239713937716636434909940071573523519242240000000000000000000000', '191645908144936689219084493096626510926643506184192000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'bob', '', '{"delta":"1/1000000","epsilon":"9","kind":"rdp","orders":["3/2","2","3","5","8","16","32","64","256"]}', '', '9322561786726752976854552834723504488938871855246841247558593750000000000', '428064456083180488990938515845770248681996879191236179946899414062500000000', '0', '23955738518117086152385561637078313865830438273024000000000000000000', '["694475459606887755380382879128926755562725962799838165283203125000000000","924136484953771165051537377132077582899587182706874019622802734375000000","1377532833852372938954748541307592590706022674487002182006835937500000000","2247498114365609090774412053637845397737306312777830902099609375000000000","3418653822259980711580131200060681266641946816948890243530273437500000000","5621406624174994029408751971802540875856495840977649291992187500000000000","7493906813475579830997840607532188034269902396668139129638671875000000000","8539953086375338517623521499707409172155163934097747467041015625000000000","9322561786726752976854552834723504488938871855246841247558593750000000000"]');


--
-- Data for Name: closed_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.closed_keys VALUES ('\x51f6e131599614c6ebf07936898c97e2', 6);
INSERT INTO ledger.closed_keys VALUES ('\x5386b07f59167c5c8c47414cf2f0dda9', 6);
INSERT INTO ledger.closed_keys VALUES ('\x389d1cd8943b55ceea12d128ce9d886b', 7);
INSERT INTO ledger.closed_keys VALUES ('\xb76adb157320c239f1f1a717729bb2e7', 7);
INSERT INTO ledger.closed_keys VALUES ('\x8fb2a60441e7bcaa8def2959d6c8a38e', 9);
INSERT INTO ledger.closed_keys VALUES ('\x0c464e23961257bc249c7b56becce6f2', 11);
INSERT INTO ledger.closed_keys VALUES ('\x33ea13661ee3910470cfeb6f3ef3ddff', 12);
INSERT INTO ledger.closed_keys VALUES ('\x872e125c266bc15053e5c6c99a15b148', 14);
INSERT INTO ledger.closed_keys VALUES ('\xf681a38cc821bb46f65f14e8b85989db', 17);
INSERT INTO ledger.closed_keys VALUES ('\x10f5fcce370ab1a264bb52504fb75318', 17);
INSERT INTO ledger.closed_keys VALUES ('\x80384e2678a9591407afe49c755f397c', 18);
INSERT INTO ledger.closed_keys VALUES ('\x1418bc1331b1ea0835cea3b3810b82c2', 19);


--
-- Data for Name: entries; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.entries VALUES (1, '{"dataset":"visits","kind":"register","ledger":"848289a554fa4503bcb959f4cae24fd8","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"5\",\"kind\":\"pure\"}","day":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"4\"}"},"secret":"bbfd38ec2c30a60b78d74240e567c6a76be836b526b5c2853273175b273d94a7","sequence":1,"time":1790000000000000000}', 'ac5bd890f56a70c7e9ea1542733bfac00216e11a142abbacfb62f3f786002005');
INSERT INTO ledger.entries VALUES (2, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"3\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}', '4b326d4fb4f075e998cc48372ea797d7b21b6cf1ff42dc67b2a20b88ac9396fd');
INSERT INTO ledger.entries VALUES (3, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"9\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"principal":"bob","sequence":3,"time":1790000000000000000}', '205b7d6f7e3f9b3182e732b5e65d01fc1488bea6bde232c8573b434655c1cd27');
INSERT INTO ledger.entries VALUES (4, '{"dataset":"concentrated","kind":"register","limits":{"":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"1\"}"},"sequence":4,"time":1790000000000000000}', '6de836f4c11f7e3b5a7a2e934dadbc0bc0bc34225a95504d8b27d0faa6058611');
INSERT INTO ledger.entries VALUES (5, '{"accountant":"0.1.0","charged":{"pure":["1/10","0"],"zcdp":["1/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"settled","kind":"reserve","principal":"ada","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","sequence":5,"time":1790000000000000000}', '97e7c0066072a63d694143386f644d8e3024cf7b1708e9c6b3b06dc071ff09ef');
INSERT INTO ledger.entries VALUES (6, '{"data_version":"v1","dataset":"visits","key":"settled","kind":"settle","principal":"ada","release":{"list":[1.5,null,true],"n":1,"name":"é"},"request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","reserve":5,"sequence":6,"time":1790000000000000000}', 'ac6caac8acd5a2b8443b12949b592d2cc695ef09fc6d6507db2899b255108d7a');
INSERT INTO ledger.entries VALUES (7, '{"accountant":"0.1.0","answer":6,"charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"b","kind":"share","principal":"bob","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","seen":"b76adb157320c239f1f1a717729bb2e7","sequence":7,"time":1790000000000000000}', '058b485145d327fa5cd5a984534015b79a6485f5237eebae12d24bbecc2d8f36');
INSERT INTO ledger.entries VALUES (8, '{"accountant":"0.1.0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost","kind":"reserve","principal":"ada","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","sequence":8,"time":1790000000000000000}', '48bb3f86aab04cb6c8ab3c792c235aa37b3e386c7eb045d8e1ce6c573e79c78d');
INSERT INTO ledger.entries VALUES (9, '{"data_version":"v1","dataset":"visits","failure":true,"key":"lost","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","reserve":8,"sequence":9,"time":1790000000000000000}', 'dc87584e8bef8c4654f0a7aba9a941d9d5a7c4ac0ece62b887fca50d3258f49f');
INSERT INTO ledger.entries VALUES (10, '{"accountant":"0.1.0","charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"reserve","principal":"ada","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","sequence":10,"time":1790000000000000000}', '1de7432cdca0a0f1bb1a9cf60eea9cc68822a2db702cb6cc9cca8ebeaaf42e65');
INSERT INTO ledger.entries VALUES (11, '{"charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"refund","principal":"ada","reason":"not begun","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","reserve":10,"reserved":1790000000000000000,"sequence":11,"time":1790000000000000000}', 'a392f475ebee1ddb674abe2b5d0383af724c542bc5aa25ff16e864719e8c71e7');
INSERT INTO ledger.entries VALUES (12, '{"dataset":"visits","failures":1,"kind":"unlock","principal":"ada","reason":"looked at","sequence":12,"time":1790003600000000000}', '5eff42e990590d90a1d7d4c7fc655eb30e986dcac918a5d2051be17ae3636f28');
INSERT INTO ledger.entries VALUES (13, '{"accountant":"0.1.0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost again","kind":"reserve","principal":"ada","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","sequence":13,"time":1790003600000000000}', '9b319d1b420a3668a28b760a081e2ab253d7f7fa9c4d37a941cb8dad7c7e9a21');
INSERT INTO ledger.entries VALUES (14, '{"data_version":"v1","dataset":"visits","failure":true,"key":"lost again","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","reserve":13,"sequence":14,"time":1790003600000000000}', 'ee355e3fe8c42a7e26e175522bba5b07507f8e57b75f6ae59f17a16d96b9a5fc');
INSERT INTO ledger.entries VALUES (15, '{"accountant":"0.1.0","charged":{"pure":["2/5","0"],"zcdp":["2/25","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"2/5","kind":"laplace"},"key":"run","kind":"reserve","principal":"ada","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","sequence":15,"time":1790003600000000000}', '218432a7984401797d40b05337b082950c0e6f784eb573a341f007b99fea5187');
INSERT INTO ledger.entries VALUES (16, '{"data_version":"v1","dataset":"visits","key":"of the run","kind":"ask","principal":"ada","request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","run":15,"sequence":16,"time":1790003600000000000}', '2dc3ca5c4427d98fd72c95aa6d97caa1f24d667fbe292ba75642d734139cb4f6');
INSERT INTO ledger.entries VALUES (17, '{"data_version":"v1","dataset":"visits","key":"of the run","kind":"settle","principal":"ada","release":{"above":false},"request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","reserve":16,"sequence":17,"time":1790003600000000000}', '5cfc8df4c1534d483f430d014ba426c7b5d99f2bd2350f7474286e265b19b793');
INSERT INTO ledger.entries VALUES (18, '{"data_version":"v1","dataset":"visits","key":"run","kind":"lose","principal":"ada","reason":"restored","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","reserve":15,"sequence":18,"time":1790003600000000000}', 'ec6ccbe656ef38e11f990a47dcc70d264b41e3ade482afade0cef44fee6476ef');
INSERT INTO ledger.entries VALUES (19, '{"accountant":"0.1.0","anchor":"sfumato-anchor-1 848289a554fa4503bcb959f4cae24fd8 17 5cfc8df4c1534d483f430d014ba426c7b5d99f2bd2350f7474286e265b19b793","kind":"restore","lost":[{"charged":{"pure":["1/10","0"],"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"],"zcdp":["1/200","0"]},"dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"principals":["ada","bob"]}],"reason":"a drill","sequence":19,"time":1790003600000000000}', '4f333c430c54559d8a26406f04a6822c6919bb83ab705c724e0e3d9aefe2d899');
INSERT INTO ledger.entries VALUES (20, '{"accountant":"0.1.0","charged":{"pure":["1/2","0"],"zcdp":["1/8","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"open","kind":"reserve","principal":"ada","request_hash":"2348f998744212575d85959674f9607ab26f67708a917157472832386337c904","sequence":20,"time":1790003600000000000}', '4c12832665512abe1f6ccd54bf534ba05b915b3b57145a8aeee5a23709299697');


--
-- Data for Name: failures; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.failures VALUES ('visits', '', 2);
INSERT INTO ledger.failures VALUES ('visits', 'ada', 1);


--
-- Data for Name: identity; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.identity VALUES (1, '848289a554fa4503bcb959f4cae24fd8');


--
-- Data for Name: open_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.open_keys VALUES ('\xed87878bf869d5944ed98dcf46c643b1', 20);
INSERT INTO ledger.open_keys VALUES ('\x8bf64d1d7ebf2527e68b915b969489c8', 20);


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.schema_version VALUES (2);


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
-- Name: failures failures_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (dataset, principal);


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


