-- How the picture of each option fills its frame: its focal point is stored in ten-thousandths of its width and height.
alter table polls add column fit_a text not null default 'cover';
alter table polls add column focus_x_a integer not null default 5000;
alter table polls add column focus_y_a integer not null default 5000;
alter table polls add column fit_b text not null default 'cover';
alter table polls add column focus_x_b integer not null default 5000;
alter table polls add column focus_y_b integer not null default 5000;
alter table polls add column is_shown_before_vote flag not null default 0;
