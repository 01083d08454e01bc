-- A ledger as schema version 3 wrote it; never change this file. anchor: e41af0e3273a4cc1a3eab9cbc090ab14 21 5dac96be8f62783e70d6f7c086f9a8bce3ecb3965ca8c64e4fcc2eb996496ebc
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
-- Name: declarations; Type: TABLE; Schema: ledger; Owner: -
--

CREATE TABLE ledger.declarations (
    dataset text NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT declarations_dataset_check CHECK ((dataset <> ''::text))
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
INSERT INTO ledger.accounts VALUES ('visits', '', '', '{"delta":"0","epsilon":"5","kind":"pure"}', '', '71867215554351258457156684911234941597491314819072000000000000000000000000', '239557385181170861523855616370783138658304382730240000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', '', 'day', '{"delta":"0","kind":"zcdp","rho":"4"}', '2026-09-21', '12217426644239713937716636434909940071573523519242240000000000000000000000', '191645908144936689219084493096626510926643506184192000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'ada', '', '{"delta":"0","epsilon":"3","kind":"pure"}', '', '71867215554351258457156684911234941597491314819072000000000000000000000000', '143734431108702516914313369822469883194982629638144000000000000000000000000', '0', '0', '');
INSERT INTO ledger.accounts VALUES ('visits', 'bob', '', '{"delta":"1/1000000","epsilon":"9","kind":"rdp","orders":["3/2","2","3","5","8","16","32","64","256"]}', '', '9322561786726752976854552834723504488938871855246841247558593750000000000', '428064456083180488990938515845770248681996879191236179946899414062500000000', '0', '23955738518117086152385561637078313865830438273024000000000000000000', '["694475459606887755380382879128926755562725962799838165283203125000000000","924136484953771165051537377132077582899587182706874019622802734375000000","1377532833852372938954748541307592590706022674487002182006835937500000000","2247498114365609090774412053637845397737306312777830902099609375000000000","3418653822259980711580131200060681266641946816948890243530273437500000000","5621406624174994029408751971802540875856495840977649291992187500000000000","7493906813475579830997840607532188034269902396668139129638671875000000000","8539953086375338517623521499707409172155163934097747467041015625000000000","9322561786726752976854552834723504488938871855246841247558593750000000000"]');


--
-- Data for Name: closed_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.closed_keys VALUES ('\x51f6e131599614c6ebf07936898c97e2', 7);
INSERT INTO ledger.closed_keys VALUES ('\x5386b07f59167c5c8c47414cf2f0dda9', 7);
INSERT INTO ledger.closed_keys VALUES ('\x389d1cd8943b55ceea12d128ce9d886b', 8);
INSERT INTO ledger.closed_keys VALUES ('\xb76adb157320c239f1f1a717729bb2e7', 8);
INSERT INTO ledger.closed_keys VALUES ('\x8fb2a60441e7bcaa8def2959d6c8a38e', 10);
INSERT INTO ledger.closed_keys VALUES ('\x0c464e23961257bc249c7b56becce6f2', 12);
INSERT INTO ledger.closed_keys VALUES ('\x9c458193777d60926f23b2e834c167f0', 13);
INSERT INTO ledger.closed_keys VALUES ('\x872e125c266bc15053e5c6c99a15b148', 15);
INSERT INTO ledger.closed_keys VALUES ('\x80384e2678a9591407afe49c755f397c', 17);
INSERT INTO ledger.closed_keys VALUES ('\xdd0040f499984baf242855f1fd5c6816', 17);
INSERT INTO ledger.closed_keys VALUES ('\xf681a38cc821bb46f65f14e8b85989db', 19);
INSERT INTO ledger.closed_keys VALUES ('\x10f5fcce370ab1a264bb52504fb75318', 19);
INSERT INTO ledger.closed_keys VALUES ('\x3271b58b32bb6f35753045d43e3b24f8', 20);


--
-- Data for Name: declarations; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.declarations VALUES ('visits', 5);


--
-- Data for Name: entries; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.entries VALUES (1, '{"dataset":"visits","kind":"register","ledger":"e41af0e3273a4cc1a3eab9cbc090ab14","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"5\",\"kind\":\"pure\"}","day":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"4\"}"},"secret":"a13b696ddd21e7c141ff469a161f6ce9fbc0b56d9662039058cd6063ef55cb64","sequence":1,"time":1790000000000000000}', 'b8e4fe3164597a473a61943136ef8a5cfe7b8ff561250113b3c309bbee0ce015');
INSERT INTO ledger.entries VALUES (2, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"0\",\"epsilon\":\"3\",\"kind\":\"pure\"}"},"principal":"ada","sequence":2,"time":1790000000000000000}', '9a6ff772db2a506efb5c64c765ba9def10b02d65f322ff65f69deac7ff21c6c8');
INSERT INTO ledger.entries VALUES (3, '{"dataset":"visits","kind":"grant","limits":{"":"{\"delta\":\"1/1000000\",\"epsilon\":\"9\",\"kind\":\"rdp\",\"orders\":[\"3/2\",\"2\",\"3\",\"5\",\"8\",\"16\",\"32\",\"64\",\"256\"]}"},"principal":"bob","sequence":3,"time":1790000000000000000}', 'e4b0c95441d8da16388f6af4ae0b319e27fd279eed6dfdd376d98fac629c06cd');
INSERT INTO ledger.entries VALUES (4, '{"dataset":"concentrated","kind":"register","limits":{"":"{\"delta\":\"0\",\"kind\":\"zcdp\",\"rho\":\"1\"}"},"sequence":4,"time":1790000000000000000}', '7675673a0ad3ce0ef5771f543d8f33b943e94e4515dce7a2083211d9eff88453');
INSERT INTO ledger.entries VALUES (5, '{"data_version":"v1","dataset":"visits","declaration":{"tables":{"users":{}}},"kind":"declare","sequence":5,"time":1790000000000000000,"unit":"users.id"}', '6847ce3c1fb6332d5753e16d241d92bba0cef2889a69b3f530ab85fc192486c1');
INSERT INTO ledger.entries VALUES (6, '{"accountant":"0.2.0.dev0","charged":{"pure":["1/10","0"],"zcdp":["1/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"settled","kind":"reserve","principal":"ada","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","sequence":6,"time":1790000000000000000}', '7867e686ef368d48c14c39432277f6ebbb499b12758f52ae9744f4957f5af00b');
INSERT INTO ledger.entries VALUES (7, '{"data_version":"v1","dataset":"visits","key":"settled","kind":"settle","principal":"ada","release":{"list":[1.5,null,true],"n":1,"name":"é"},"request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","reserve":6,"sequence":7,"time":1790000000000000000}', 'de30dfcffbe736d5b115d3848e256819a5355ec1cc622f97cea1280fe1e7dde5');
INSERT INTO ledger.entries VALUES (8, '{"accountant":"0.2.0.dev0","answer":7,"charged":{"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"key":"b","kind":"share","principal":"bob","request_hash":"d31e014808ecdd2af298adba9ed7b5023c9d07c4120d169acce58ba32e8e0c01","seen":"b76adb157320c239f1f1a717729bb2e7","sequence":8,"time":1790000000000000000}', '94204a1e4e4bb111b0ac38a7df3e04fee2b66028ceceaeaf1976e7ef1d3da7db');
INSERT INTO ledger.entries VALUES (9, '{"accountant":"0.2.0.dev0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost","kind":"reserve","principal":"ada","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","sequence":9,"time":1790000000000000000}', '1b9e19dae829c0801de08b9111653b6f61c56394a040a276dd235773e4b8f4c4');
INSERT INTO ledger.entries VALUES (10, '{"data_version":"v1","dataset":"visits","failure":true,"key":"lost","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9","reserve":9,"sequence":10,"time":1790000000000000000}', '3d57dfdfe67450a1ec59db7c81b34e9dc16a905aea0b111bbd9e65cac00c9f14');
INSERT INTO ledger.entries VALUES (11, '{"accountant":"0.2.0.dev0","charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"reserve","principal":"ada","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","sequence":11,"time":1790000000000000000}', 'cf6ee8bc4bbc3e230324f5e5be0527e875fb0f51a34b08357bbb5f012987980c');
INSERT INTO ledger.entries VALUES (12, '{"charged":{"pure":["3/10","0"],"zcdp":["9/200","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"3/10","kind":"laplace"},"key":"refunded","kind":"refund","principal":"ada","reason":"not begun","request_hash":"fed1ce9f9259663d94839735b4de9d70c4f38201af6a980d5e53cfecfae97466","reserve":11,"reserved":1790000000000000000,"sequence":12,"time":1790000000000000000}', 'dde8dbd7a0d9df2560e7d79b85ec62261d0d14b6ca0c021562d3c2d0bf60f3e3');
INSERT INTO ledger.entries VALUES (13, '{"dataset":"visits","failures":1,"kind":"unlock","principal":"ada","reason":"looked at","sequence":13,"time":1790003600000000000}', '1b44517c9a5075d8eadd893a38fd6fa876f5ec6bdf5ba9d28e76b2bdfe56ca4c');
INSERT INTO ledger.entries VALUES (14, '{"accountant":"0.2.0.dev0","charged":{"pure":["1/5","0"],"zcdp":["1/50","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/5","kind":"laplace"},"key":"lost again","kind":"reserve","principal":"ada","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","sequence":14,"time":1790003600000000000}', '221c4c4c6708d80fca052b6a3bb8009466e88c8332338f13e1ed450005eaf0e3');
INSERT INTO ledger.entries VALUES (15, '{"data_version":"v1","dataset":"visits","failure":true,"key":"lost again","kind":"lose","principal":"ada","reason":"the engine did not finish","request_hash":"0fdf0c684fbb23c5d4d6506bcd03f848075d91fa81cf9c24cff213adfdaac89c","reserve":14,"sequence":15,"time":1790003600000000000}', '2461b1cf614f5aa36758a80553ba8ce5aa8ca8c22db5b703a946893d2eafc013');
INSERT INTO ledger.entries VALUES (16, '{"accountant":"0.2.0.dev0","charged":{"pure":["2/5","0"],"zcdp":["2/25","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"2/5","kind":"laplace"},"key":"run","kind":"reserve","principal":"ada","request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","sequence":16,"time":1790003600000000000}', '86c8828291821ede37bc5b3992d0c91279dd242db908c7679c0e24603a79cd07');
INSERT INTO ledger.entries VALUES (17, '{"data_version":"v1","dataset":"visits","key":"run","kind":"settle","principal":"ada","release":{"watch":"begun"},"request_hash":"acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be","reserve":16,"sequence":17,"time":1790003600000000000}', 'fc5243b8cd4228545803dd3880fe7324974faf79c84864d52623769db4b1790f');
INSERT INTO ledger.entries VALUES (18, '{"data_version":"v1","dataset":"visits","key":"of the run","kind":"ask","principal":"ada","request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","run":17,"sequence":18,"time":1790003600000000000}', '3890ed91ec4d1038c4a2ff1ba0a92cb529d64ff4f10029814989aac1a00f3bc8');
INSERT INTO ledger.entries VALUES (19, '{"data_version":"v1","dataset":"visits","key":"of the run","kind":"settle","principal":"ada","release":{"above":false},"request_hash":"78783a7ed7c56369dd01589024b504e0b706567c859ebf1259da15c455e702a6","reserve":18,"sequence":19,"time":1790003600000000000}', '71529f82a9dfaab64df039024d38ce8a2d32663d6a79de446ea17fef0bd75b9f');
INSERT INTO ledger.entries VALUES (20, '{"accountant":"0.2.0.dev0","anchor":"sfumato-anchor-1 e41af0e3273a4cc1a3eab9cbc090ab14 19 71529f82a9dfaab64df039024d38ce8a2d32663d6a79de446ea17fef0bd75b9f","kind":"restore","lost":[{"charged":{"pure":["1/10","0"],"rdp 3/2 2 3 5 8 16 32 64 256":["522236359983339/72057594037927936","5559507307034221/576460752303423488","2071772941597725/144115188075855872","1690088854946881/72057594037927936","5141564913440677/144115188075855872","1056805857134661/18014398509481984","5635318803833821/72057594037927936","6421931765280343/72057594037927936","3505221578294389/36028797018963968","0"],"zcdp":["1/200","0"]},"dataset":"visits","event":{"epsilon":"1/10","kind":"laplace"},"principals":["ada","bob"]}],"reason":"a drill","sequence":20,"time":1790003600000000000}', '120defe37556faa2a5e80834fd1ca592847c532f99739ee44ac39cf8994d1739');
INSERT INTO ledger.entries VALUES (21, '{"accountant":"0.2.0.dev0","charged":{"pure":["1/2","0"],"zcdp":["1/8","0"]},"data_version":"v1","dataset":"visits","event":{"epsilon":"1/2","kind":"laplace"},"key":"open","kind":"reserve","principal":"ada","request_hash":"2348f998744212575d85959674f9607ab26f67708a917157472832386337c904","sequence":21,"time":1790003600000000000}', '5dac96be8f62783e70d6f7c086f9a8bce3ecb3965ca8c64e4fcc2eb996496ebc');


--
-- Data for Name: failures; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.failures VALUES ('visits', '', 2);
INSERT INTO ledger.failures VALUES ('visits', 'ada', 1);


--
-- Data for Name: identity; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.identity VALUES (1, 'e41af0e3273a4cc1a3eab9cbc090ab14');


--
-- Data for Name: open_keys; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.open_keys VALUES ('\x8bf64d1d7ebf2527e68b915b969489c8', 21);
INSERT INTO ledger.open_keys VALUES ('\xed87878bf869d5944ed98dcf46c643b1', 21);


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: ledger; Owner: -
--

INSERT INTO ledger.schema_version VALUES (3);


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
-- Name: declarations declarations_pkey; Type: CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.declarations
    ADD CONSTRAINT declarations_pkey PRIMARY KEY (dataset);


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
-- Name: declarations declarations_sequence_fkey; Type: FK CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.declarations
    ADD CONSTRAINT declarations_sequence_fkey FOREIGN KEY (sequence) REFERENCES ledger.entries(sequence);


--
-- Name: open_keys open_keys_sequence_fkey; Type: FK CONSTRAINT; Schema: ledger; Owner: -
--

ALTER TABLE ONLY ledger.open_keys
    ADD CONSTRAINT open_keys_sequence_fkey FOREIGN KEY (sequence) REFERENCES ledger.entries(sequence);


--
-- PostgreSQL database dump complete
--


