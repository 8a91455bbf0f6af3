-- Votes as they are looked for by who cast them. SQLite keeps that beside the votes.
create view device_votes as select poll_key, device, option, voted_at, position from votes;
