-- `title_folded` now holds what `q` and `tag` search: tags, title and labels, folded, behind a sign of its form. Rows of earlier
-- servers have the folded title alone; a job finds them by this index and writes them again.
create index polls_to_fold on polls (key) where substr(title_folded, 1, 1) <> '¶' and deleted_at is null;
