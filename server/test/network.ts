import { randomInt } from 'node:crypto'

export const newNetwork = () => ({
  'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
})
