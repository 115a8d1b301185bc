-- it's
CREATE TABLE IF NOT EXISTS public.users (
  id bigint PRIMARY KEY, /* ; */
  name text DEFAULT 'a;''b' -- x;
);
create unique index concurrently users_name on users (name);
CREATE OR REPLACE FUNCTION touch(a int) RETURNS trigger AS $body$
BEGIN
  -- it's ;
  NEW.updated := now();
  RETURN NEW;
END;
$body$ LANGUAGE plpgsql;
CREATE MATERIALIZED VIEW "Big View" AS SELECT CASE WHEN a THEN 1 END FROM t;
CREATE TRIGGER trg BEFORE UPDATE ON users BEGIN
  UPDATE t SET a = CASE WHEN 1 THEN 2 ELSE 3 END;
  SELECT 1;
END;
INSERT INTO users VALUES (1, 'x');
CREATE TYPE mood AS ENUM ('a', 'b');
