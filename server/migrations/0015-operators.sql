-- An operator reads the state of the service at /console/service. The role gives no access to a brand.
alter table people add column is_operator flag not null default 0;

-- Both are counted for that page, at each look.
create index webhooks_failing on webhooks (failing_since) where failing_since is not null;
create index integrity_alerts_by_time on integrity_alerts (at);
