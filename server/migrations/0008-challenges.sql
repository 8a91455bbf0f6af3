-- Whether a vote must bring the solution of a challenge: 'off', 'adaptive' (while there are conspicuously many votes) or 'always'.
alter table polls add column challenge text not null default 'off';
