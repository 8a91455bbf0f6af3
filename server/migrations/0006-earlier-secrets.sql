-- `earlier_secrets` is a JSON list, the newest first, of what a webhook is still signed with beside `secret`: the encrypted
-- secret in hexadecimal, and until when.
alter table webhooks add column earlier_secrets text not null default '[]';

-- sqlite:
update webhooks set earlier_secrets =
    '[{"sealed":"' || lower(hex(earlier_secret)) || '","until":' || earlier_secret_until || '}]'
  where earlier_secret is not null and earlier_secret_until is not null;
-- postgres:
update webhooks set earlier_secrets =
    '[{"sealed":"' || encode(earlier_secret, 'hex') || '","until":' || earlier_secret_until || '}]'
  where earlier_secret is not null and earlier_secret_until is not null;
-- both:

alter table webhooks drop column earlier_secret;
alter table webhooks drop column earlier_secret_until;
