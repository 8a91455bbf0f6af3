import pg from 'pg'

const INT8 = 20

/** `pg` returns int8 as text. Our numbers stay far below 2^53. */
export const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
