import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { S3StandIn, type StoredObject } from '../s3-stand-in.ts'

// The stand-in for S3 in a process of its own, which a test can kill and pause. Its objects are files, which outlive it.

const [, , folder = '', port = '0'] = process.argv
const NAME = /^[0-9a-f]+$/

/** Answers only when an object is stored whole, like S3. */
class ObjectsOnDisk extends Map<string, StoredObject> {
  constructor() {
    super()
    for (const name of readdirSync(folder)) {
      const bytes = NAME.test(name) ? readFileSync(join(folder, name)) : null
      if (bytes) super.set(Buffer.from(name, 'hex').toString(), { bytes, headers: {} })
    }
  }

  override set(key: string, object: StoredObject): this {
    const unfinished = `${this.#pathOf(key)}.unfinished`
    writeFileSync(unfinished, object.bytes)
    renameSync(unfinished, this.#pathOf(key))
    return super.set(key, object)
  }

  override delete(key: string): boolean {
    rmSync(this.#pathOf(key), { force: true })
    return super.delete(key)
  }

  #pathOf(key: string): string {
    return join(folder, Buffer.from(key).toString('hex'))
  }
}

const s3 = new S3StandIn({ port: Number(port), objects: new ObjectsOnDisk() })
process.stdout.write(`${JSON.stringify({ url: s3.url() })}\n`)
