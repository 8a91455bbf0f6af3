import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ChildService, createHome, createOwner, type Home, inDatabase, OwnerClient } from './child-service.ts'
import { engines } from './engines.ts'
import { ADMIN_URL } from './own-database.ts'
import { LAST_CHUNK, SlowReader } from './slow-reader.ts'
import { castInto } from './voters.ts'

// A stop may take as long as it is allowed to.
setDefaultTimeout(60_000)

/** More than the buffers of a connection hold; a busy machine sends them within the 10 s that a stop may take. */
const VOTES = 60_000

describe.each([...engines])('%s: the end of a process that is sending a file', (engine) => {
  let home: Home
  let server: ChildService
  let reader: SlowReader
  beforeEach(async () => {
    home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
    const owner = await createOwner(home, 'acme')
    server = await ChildService.start(home)
    const client = await OwnerClient.connect(server.url, owner)
    await client.createPoll('hot')
    await inDatabase(home, async ({ engine: opened }) => {
      const { key } = await opened.db.selectFrom('polls').select('key').executeTakeFirstOrThrow()
      await castInto(opened, key, VOTES)
    })
    reader = new SlowReader(`${server.url}/api/rest/v1/brands/me/polls/hot/voters`, {
      ...client.headers,
      Accept: 'application/x-ndjson',
    })
    // The rest waits for the reader.
    expect(await reader.status()).toBe(200)
  })
  afterEach(async () => {
    reader.leave()
    await server.kill()
    await home.remove()
  })

  test('waits until the file is read to its end', async () => {
    const stopped = server.stop()
    reader.read()
    const received = await reader.ended
    await stopped
    expect(received).toEndWith(LAST_CHUNK)
    expect(received.match(/"position":/g)).toHaveLength(VOTES)
  })

  // On one engine only: it takes as long as a stop may take, and does not depend on the engine.
  test.if(engine === 'sqlite')('cuts off a client that does not read', async () => {
    const toldAt = performance.now()
    await server.stop()
    expect(performance.now() - toldAt).toBeWithin(5_000, 15_000)
    reader.read()
    expect(await reader.ended).not.toEndWith(LAST_CHUNK)
  })
})
