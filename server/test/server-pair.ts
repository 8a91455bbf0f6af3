import type { Service } from '../src/app/start.ts'
import type { Engine } from '../src/db/store.ts'
import { hasRedis, OwnRedis } from './own-redis.ts'
import { RoundRobin } from './round-robin.ts'
import { S3StandIn } from './s3-stand-in.ts'

/** Notices arrive within this time; where they do not, the tests shall say so. */
const NOTICED_WITHIN_MS = 1_000
const BARRIER = 'barrier'

/** Services that servers on several machines share, besides their database. */
export interface Shared {
  readonly settings: Readonly<Record<string, string>>
  remove(): Promise<void>
}

export async function startShared(): Promise<Shared> {
  const redis = hasRedis ? await OwnRedis.start() : null
  const s3 = new S3StandIn()
  return {
    settings: { S3_URL: s3.url(), ...(redis ? { REDIS_URL: redis.url } : {}) },
    async remove() {
      await redis?.remove()
      await s3.stop()
    },
  }
}

/** Hears from the notices of one server that those of the others have arrived. */
class NoticeWatch {
  readonly #awaited = new Map<string, () => void>()

  /** Wraps the engine of a server that is about to start. */
  readonly watch = (engine: Engine): Engine => ({
    ...engine,
    notices: {
      send: (tx, text) => engine.notices.send(tx, text),
      broadcast: (texts) => engine.notices.broadcast(texts),
      listen: (onNotice) => engine.notices.listen((text) => this.#take(text, onNotice)),
    },
  })

  async heard(id: string): Promise<void> {
    const arrived = Promise.withResolvers<void>()
    this.#awaited.set(id, arrived.resolve)
    // Real time: a server that lost its connection hears nothing, and reads everything again instead.
    const late = setTimeout(arrived.resolve, NOTICED_WITHIN_MS)
    await arrived.promise
    clearTimeout(late)
    this.#awaited.delete(id)
  }

  #take(text: string, onNotice: (text: string) => void): void {
    const [kind, id] = JSON.parse(text) as [string, string]
    if (kind === BARRIER) this.#awaited.get(id)?.()
    else onNotice(text)
  }
}

interface Member {
  readonly service: Service
  readonly notices: NoticeWatch
}

/** Two servers that share only their database, Redis and S3, behind one address. All other properties are those of the first. */
export class ServerPair {
  readonly service: Service
  readonly #members: readonly Member[]
  readonly #front: RoundRobin
  #barrier: Promise<void> | null = null
  #barriers = 0
  /** The number of writes sent before the servers were last told to catch up. */
  #writesBefore = 0

  private constructor(members: readonly Member[], front: RoundRobin) {
    this.#members = members
    this.#front = front
    this.service = Object.create(members[0]?.service ?? null, {
      url: { value: front.url },
      runDue: {
        value: async () => {
          for (const { service } of members) await service.runDue()
          await this.#sendBarriers()
        },
      },
      stop: { value: () => this.#stop() },
    })
  }

  /** `startOne` starts a server with this change of its engine. */
  static async start(startOne: (watch: NoticeWatch['watch']) => Promise<Service>): Promise<ServerPair> {
    const members: Member[] = []
    try {
      for (const notices of [new NoticeWatch(), new NoticeWatch()])
        members.push({ service: await startOne(notices.watch), notices })
      return new ServerPair(members, await RoundRobin.open(members.map(({ service }) => service.url)))
    } catch (error) {
      for (const { service } of members) await service.stop()
      throw error
    }
  }

  /** Resolves when each server knows the changes of the other. Visitors see them a moment late; a test need not wait for it. */
  async caughtUp(): Promise<void> {
    if (this.#barrier === null && this.#front.writes === this.#writesBefore) return
    // Callers in the same turn of the event loop share a barrier.
    this.#barrier ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#barrier = null
        this.#sendBarriers().then(resolve, reject)
      })
    })
    await this.#barrier
  }

  async #sendBarriers(): Promise<void> {
    const id = String(++this.#barriers)
    this.#writesBefore = this.#front.writes
    // A barrier reaches only the other processes, after all changes committed before it was sent.
    const heard = this.#members.map(({ notices }) => notices.heard(id))
    for (const { service } of this.#members) {
      // Sends the gathered votes; the server keeps running.
      service.deps.changes.close()
      service.deps.engine.notices.broadcast([JSON.stringify([BARRIER, id])])
    }
    await Promise.all(heard)
  }

  async #stop(): Promise<void> {
    for (const { service } of this.#members) await service.stop()
    await this.#front.close()
  }
}
