-- A name that no other database has, and the address of the server that started last.
create table service (
  key integer primary key,
  instance text not null,
  address text
);
