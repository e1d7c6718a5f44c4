BEGIN TRANSACTION;
CREATE TABLE equiwarp_campaigns (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	created TEXT NOT NULL, 
	domain TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	asks BIGINT NOT NULL, 
	numbers BIGINT NOT NULL, 
	sequence BIGINT NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "equiwarp_campaigns" VALUES(1,'furnace','2026-11-17T03:35:10.989600+00:00','{"type": "box", "parameters": [{"name": "temperature", "low": 20.0, "high": 90.0, "unit": "", "scale": "linear", "step": null, "levels": null}, {"name": "pH", "low": 3.0, "high": 9.0, "unit": "", "scale": "linear", "step": null, "levels": null}]}','{"name": "furnace", "responses": [{"name": "value", "unit": "", "noise": 0.1}], "strategy": "equiwarp", "n0": 4, "seed": 3, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": true}',4,9,3,16);
INSERT INTO "equiwarp_campaigns" VALUES(2,'paint','2026-11-17T03:35:11.863775+00:00','{"type": "simplex", "components": [{"name": "water", "low": 0.1}, {"name": "salt", "low": 0.0}, {"name": "oil", "low": 0.2}], "total": 1.0, "unit": ""}','{"name": "paint", "responses": [{"name": "gloss", "unit": "", "noise": null}, {"name": "hardness", "unit": "", "noise": null}], "strategy": "lookahead-gp", "n0": 3, "seed": 0, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": true}',1,3,3,4);
INSERT INTO "equiwarp_campaigns" VALUES(3,'open','2026-11-17T03:35:11.905174+00:00','{"type": "box", "parameters": [{"name": "x1", "low": 0.0, "high": 1.0, "unit": "", "scale": "linear", "step": null, "levels": null}]}','{"name": "open", "responses": [{"name": "value", "unit": "", "noise": null}], "strategy": "sobol", "n0": 10, "seed": 0, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": false}',1,2,2,1);
CREATE TABLE equiwarp_events (
	id INTEGER NOT NULL, 
	campaign INTEGER NOT NULL, 
	number BIGINT, 
	at TEXT NOT NULL, 
	who TEXT NOT NULL, 
	what TEXT NOT NULL, 
	detail TEXT NOT NULL, token TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(campaign) REFERENCES equiwarp_campaigns (id)
);
INSERT INTO "equiwarp_events" VALUES(1,1,NULL,'2026-11-17T03:35:10.994782+00:00','ann','created','{"settings": {"name": "furnace", "responses": [{"name": "value", "unit": "", "noise": 0.1}], "strategy": "equiwarp", "n0": 4, "seed": 3, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": false}, "domain": {"type": "box", "parameters": [{"name": "temperature", "low": 20.0, "high": 90.0, "unit": "", "scale": "linear", "step": null, "levels": null}, {"name": "pH", "low": 3.0, "high": 9.0, "unit": "", "scale": "linear", "step": null, "levels": null}]}}',NULL);
INSERT INTO "equiwarp_events" VALUES(2,1,NULL,'2026-11-17T03:35:11.009993+00:00','ann','added','{"first": 1, "last": 2, "count": 2, "outside": 1}','5d8dea638e7b4edfa69f1ccc8be22ea2');
INSERT INTO "equiwarp_events" VALUES(3,1,3,'2026-11-17T03:35:11.026360+00:00','ann','asked','{"ask": 0, "point": {"temperature": 73.95063628442585, "pH": 8.340667124837637}}','c17073576544488a998adac799e68853');
INSERT INTO "equiwarp_events" VALUES(4,1,4,'2026-11-17T03:35:11.026360+00:00','ann','asked','{"ask": 0, "point": {"temperature": 49.92013378068805, "pH": 4.589557679370046}}',NULL);
INSERT INTO "equiwarp_events" VALUES(5,1,5,'2026-11-17T03:35:11.026360+00:00','ann','asked','{"ask": 0, "point": {"temperature": 22.467557871714234, "pH": 7.401965478435159}}',NULL);
INSERT INTO "equiwarp_events" VALUES(6,1,3,'2026-11-17T03:35:11.034219+00:00','ann','told','{"value": {"value": 1.25}, "noise": null}',NULL);
INSERT INTO "equiwarp_events" VALUES(7,1,4,'2026-11-17T03:35:11.039200+00:00','ann','told','{"value": {"value": 31.0}, "noise": [0.5]}',NULL);
INSERT INTO "equiwarp_events" VALUES(8,1,4,'2026-11-17T03:35:11.043177+00:00','ann','amended','{"before": {"value": [31.0], "noise": [0.5]}, "after": {"value": [3.1], "noise": [0.5]}, "reason": "decimal point"}',NULL);
INSERT INTO "equiwarp_events" VALUES(9,1,5,'2026-11-17T03:35:11.047082+00:00','ann','failed','{"reason": "furnace tripped"}',NULL);
INSERT INTO "equiwarp_events" VALUES(10,1,6,'2026-11-17T03:35:11.809019+00:00','ann','asked','{"ask": 1, "point": {"temperature": 75.7687965221703, "pH": 4.907834406942129}}',NULL);
INSERT INTO "equiwarp_events" VALUES(11,1,7,'2026-11-17T03:35:11.809019+00:00','ann','asked','{"ask": 1, "point": {"temperature": 47.928245486691594, "pH": 7.75943966768682}}',NULL);
INSERT INTO "equiwarp_events" VALUES(12,1,6,'2026-11-17T03:35:11.810455+00:00','ann','told','{"value": {"value": 2.0}, "noise": null}',NULL);
INSERT INTO "equiwarp_events" VALUES(13,1,7,'2026-11-17T03:35:11.819012+00:00','ann','abandoned','{"reason": "explosive"}',NULL);
INSERT INTO "equiwarp_events" VALUES(14,1,8,'2026-11-17T03:35:11.840370+00:00','ann','asked','{"ask": 2, "point": {"temperature": 32.48448739759624, "pH": 5.225598743185401}}',NULL);
INSERT INTO "equiwarp_events" VALUES(15,1,8,'2026-11-17T03:35:11.851235+00:00','ann','released','{}',NULL);
INSERT INTO "equiwarp_events" VALUES(16,1,9,'2026-11-17T03:35:11.860007+00:00','ann','asked','{"ask": 3, "point": {"temperature": 33.94574290141463, "pH": 5.190929219126701}}',NULL);
INSERT INTO "equiwarp_events" VALUES(17,2,NULL,'2026-11-17T03:35:11.864449+00:00','bob','created','{"settings": {"name": "paint", "responses": [{"name": "gloss", "unit": "", "noise": null}, {"name": "hardness", "unit": "", "noise": null}], "strategy": "lookahead-gp", "n0": 3, "seed": 0, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": true}, "domain": {"type": "simplex", "components": [{"name": "water", "low": 0.1}, {"name": "salt", "low": 0.0}, {"name": "oil", "low": 0.2}], "total": 1.0, "unit": ""}}',NULL);
INSERT INTO "equiwarp_events" VALUES(18,2,1,'2026-11-17T03:35:11.878765+00:00','bob','asked','{"ask": 0, "point": {"water": 0.5170698671016594, "salt": 0.258903351262054, "oil": 0.22402678163628664}}','83bfa55e3c5643f093c181f425ce7643');
INSERT INTO "equiwarp_events" VALUES(19,2,2,'2026-11-17T03:35:11.878765+00:00','bob','asked','{"ask": 0, "point": {"water": 0.21610222171539484, "salt": 0.062196325258400645, "oil": 0.7217014530262045}}',NULL);
INSERT INTO "equiwarp_events" VALUES(20,2,3,'2026-11-17T03:35:11.878765+00:00','bob','asked','{"ask": 0, "point": {"water": 0.184607139337578, "salt": 0.36853661767774987, "oil": 0.4468562429846721}}',NULL);
INSERT INTO "equiwarp_events" VALUES(21,2,1,'2026-11-17T03:35:11.880749+00:00','bob','told','{"value": {"gloss": 1.0, "hardness": 5.0}, "noise": null}',NULL);
INSERT INTO "equiwarp_events" VALUES(22,2,2,'2026-11-17T03:35:11.882448+00:00','bob','told','{"value": {"gloss": 2.0, "hardness": 4.0}, "noise": [0.1, 0.2]}',NULL);
INSERT INTO "equiwarp_events" VALUES(23,2,3,'2026-11-17T03:35:11.891432+00:00','bob','released','{}',NULL);
INSERT INTO "equiwarp_events" VALUES(24,3,NULL,'2026-11-17T03:35:11.905908+00:00','bob','created','{"settings": {"name": "open", "responses": [{"name": "value", "unit": "", "noise": null}], "strategy": "sobol", "n0": 10, "seed": 0, "stop": {"error": null, "gain_per_experiment": null}, "description": "", "settled": false}, "domain": {"type": "box", "parameters": [{"name": "x1", "low": 0.0, "high": 1.0, "unit": "", "scale": "linear", "step": null, "levels": null}]}}',NULL);
INSERT INTO "equiwarp_events" VALUES(25,3,1,'2026-11-17T03:35:11.934222+00:00','bob','asked','{"ask": 0, "point": {"x1": 0.8366337548941374}}','4629eaaa4dbf4713801eb4b090455014');
INSERT INTO "equiwarp_events" VALUES(26,3,2,'2026-11-17T03:35:11.934222+00:00','bob','asked','{"ask": 0, "point": {"x1": 0.10856742225587368}}',NULL);
CREATE TABLE equiwarp_experiments (
	campaign INTEGER NOT NULL, 
	number BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	inside BOOLEAN NOT NULL, 
	point TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	claim TEXT, 
	ask BIGINT, 
	place BIGINT, 
	value TEXT, 
	noise TEXT, 
	why TEXT, 
	reason TEXT, 
	created TEXT NOT NULL, 
	changed TEXT NOT NULL, 
	PRIMARY KEY (campaign, number), 
	CONSTRAINT equiwarp_one_claim UNIQUE (campaign, claim), 
	CONSTRAINT equiwarp_one_place UNIQUE (campaign, ask, place), 
	FOREIGN KEY(campaign) REFERENCES equiwarp_campaigns (id)
);
INSERT INTO "equiwarp_experiments" VALUES(1,1,'done','added',1,'[30.0, 4.0]','b7d3830800000000ab21ef0900000000',NULL,NULL,NULL,'[1.0]','[0.1]',NULL,NULL,'2026-11-17T03:35:11.008116+00:00','2026-11-17T03:35:11.008116+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,2,'done','added',0,'[95.0, 4.0]','outside [95.0, 4.0]',NULL,NULL,NULL,'[2.0]','[0.2]',NULL,NULL,'2026-11-17T03:35:11.008116+00:00','2026-11-17T03:35:11.008116+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,3,'done','sequence',1,'[73.95063628442585, 8.340667124837637]','2f4ef02d00000000d3040e3500000000','2f4ef02d00000000d3040e3500000000',0,0,'[1.25]',NULL,'{"source": "sequence", "strategy": "equiwarp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.021350+00:00','2026-11-17T03:35:11.028101+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,4,'done','sequence',1,'[49.92013378068805, 4.589557679370046]','53127a19000000004874ca0f00000000','53127a19000000004874ca0f00000000',0,1,'[3.1]','[0.5]','{"source": "sequence", "strategy": "equiwarp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.021350+00:00','2026-11-17T03:35:11.042583+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,5,'failed','sequence',1,'[22.467557871714234, 7.401965478435159]','8be2190200000000f1c6ba2b00000000',NULL,0,2,NULL,NULL,'{"source": "sequence", "strategy": "equiwarp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}','furnace tripped','2026-11-17T03:35:11.021350+00:00','2026-11-17T03:35:11.046480+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,6,'done','model',1,'[75.7687965221703, 4.907834406942129]','05a27c2f00000000b1dff31200000000','05a27c2f00000000b1dff31200000000',1,0,'[2.0]',NULL,'{"source": "model", "strategy": "equiwarp", "variance": 0.9636512713002089, "equalizer": 0.9835010333410512, "stretch": 0.9727037555709697, "score": 0.9477520211041731, "notes": []}',NULL,'2026-11-17T03:35:11.808797+00:00','2026-11-17T03:35:11.810234+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,7,'abandoned','model',1,'[47.928245486691594, 7.75943966768682]','d8dfc7170000000089e1472f00000000',NULL,1,1,NULL,NULL,'{"source": "model", "strategy": "equiwarp", "variance": 0.9208083893099768, "equalizer": 1.0, "stretch": 0.8744935731954672, "score": 0.9208083893099768, "notes": []}','explosive','2026-11-17T03:35:11.808797+00:00','2026-11-17T03:35:11.818746+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,8,'released','model',1,'[32.48448739759624, 5.225598743185401]','fc66a10a0000000084fd1b1600000000',NULL,2,0,NULL,NULL,'{"source": "model", "strategy": "equiwarp", "variance": 0.7936581333788715, "equalizer": 1.0, "stretch": 1.2299216988400135, "score": 0.7936581333788715, "notes": []}',NULL,'2026-11-17T03:35:11.839753+00:00','2026-11-17T03:35:11.850520+00:00');
INSERT INTO "equiwarp_experiments" VALUES(1,9,'pending','model',1,'[33.94574290141463, 5.190929219126701]','43eedf0b0000000036d2c31500000000','43eedf0b0000000036d2c31500000000',3,0,NULL,NULL,'{"source": "model", "strategy": "equiwarp", "variance": 0.7938628680193237, "equalizer": 1.0, "stretch": 1.246758099048679, "score": 0.7938628680193237, "notes": []}',NULL,'2026-11-17T03:35:11.859836+00:00','2026-11-17T03:35:11.859836+00:00');
INSERT INTO "equiwarp_experiments" VALUES(2,1,'done','sequence',1,'[0.5170698671016594, 0.258903351262054, 0.22402678163628664]','94ee85090000000084ecd31500000000','94ee85090000000084ecd31500000000',0,0,'[1.0, 5.0]',NULL,'{"source": "sequence", "strategy": "lookahead-gp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.877389+00:00','2026-11-17T03:35:11.880145+00:00');
INSERT INTO "equiwarp_experiments" VALUES(2,2,'done','sequence',1,'[0.21610222171539484, 0.062196325258400645, 0.7217014530262045]','bae33e03000000001c58ede1ffffffff','bae33e03000000001c58ede1ffffffff',0,1,'[2.0, 4.0]','[0.1, 0.2]','{"source": "sequence", "strategy": "lookahead-gp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.877389+00:00','2026-11-17T03:35:11.882300+00:00');
INSERT INTO "equiwarp_experiments" VALUES(2,3,'released','sequence',1,'[0.184607139337578, 0.36853661767774987, 0.4468562429846721]','4b98e7eeffffffff7df996feffffffff',NULL,0,2,NULL,NULL,'{"source": "sequence", "strategy": "lookahead-gp", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.877389+00:00','2026-11-17T03:35:11.891049+00:00');
INSERT INTO "equiwarp_experiments" VALUES(3,1,'pending','sequence',1,'[0.8366337548941374]','9b04de3100000000','9b04de3100000000',0,0,NULL,NULL,'{"source": "sequence", "strategy": "sobol", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.929278+00:00','2026-11-17T03:35:11.929278+00:00');
INSERT INTO "equiwarp_experiments" VALUES(3,2,'pending','sequence',1,'[0.10856742225587368]','7e9b780600000000','7e9b780600000000',0,1,NULL,NULL,'{"source": "sequence", "strategy": "sobol", "variance": null, "equalizer": 1.0, "stretch": 1.0, "score": null, "notes": []}',NULL,'2026-11-17T03:35:11.929278+00:00','2026-11-17T03:35:11.929278+00:00');
CREATE TABLE equiwarp_schema (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT equiwarp_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "equiwarp_schema" VALUES('0002');
CREATE INDEX equiwarp_by_key ON equiwarp_experiments (campaign, "key");
CREATE INDEX equiwarp_by_state ON equiwarp_experiments (campaign, state);
CREATE UNIQUE INDEX equiwarp_one_token ON equiwarp_events (token);
CREATE INDEX equiwarp_by_experiment ON equiwarp_events (campaign, number);
CREATE TRIGGER equiwarp_events_no_UPDATE BEFORE UPDATE ON equiwarp_events
BEGIN SELECT RAISE(ABORT, 'equiwarp_events is append-only'); END;
CREATE TRIGGER equiwarp_events_no_DELETE BEFORE DELETE ON equiwarp_events
BEGIN SELECT RAISE(ABORT, 'equiwarp_events is append-only'); END;
COMMIT;
