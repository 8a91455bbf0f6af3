import type { Costs } from './scale-model.ts'

/** Round numbers, so that the model can be checked in the head. */
export const roundCosts: Costs = {
  sqlite: {
    hotPerSecond: 20_000,
    spreadPerSecond: 10_000,
    serverMicroseconds: 50,
    hotMicroseconds: 40,
    bytesPerVote: 100,
  },
  postgres: {
    hotPerSecond: 10_000,
    spreadPerSecond: 5_000,
    serverMicroseconds: 40,
    hotMicroseconds: 30,
    databaseMicroseconds: 80,
    hotDatabaseMicroseconds: 40,
    bytesPerVote: 200,
  },
  redis: { microseconds: 60, commands: 27 },
  readsPerSecond: 100_000,
  bytesPerStream: 8_000,
  streamMicroseconds: 20,
  pageBytes: 20_000,
}
