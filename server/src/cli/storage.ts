import { reasonOf } from '../base/errors.ts'
import { counted } from '../base/text.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type S3Place, s3Place } from '../config/setting-kinds.ts'
import { openSnapshot } from '../db/snapshots/open-snapshot.ts'
import { type ExpectedFile, expectedFiles, FILE_FACTS, type FileFacts } from '../files/file-keys.ts'
import { type FileStore, storeBytes, streamOf } from '../files/file-store.ts'
import { openFilesBeside } from '../files/open-files.ts'
import { openS3 } from '../files/s3.ts'
import { type Command, optionalText, requiredText, UsageError } from './command.ts'

const DISK = 'disk'

export const storageMove: Command = {
  words: 'storage move',
  usage: `--to ${DISK}|s3://… [--from ${DISK}|s3://…]`,
  summary: 'Copy all pictures between DATA_DIR and a bucket, and compare their checksums',
  details: `Run it while the server runs, then set or unset S3_URL, restart, and run it again with the same options: that copies what
came in between. It can be repeated after an interruption. Nothing is removed from where the pictures were.`,
  options: {
    to: { type: 'string', about: `Where to: "${DISK}" for DATA_DIR, or a bucket in the form of S3_URL` },
    from: { type: 'string', about: 'Where from, in the same form; by default where the server stores pictures now' },
  },
  async run(given) {
    const config = readConfig()
    const to = readPlace('to', requiredText(given, 'to'))
    const fromText = optionalText(given, 'from')
    const from = fromText === null ? sourceFor(to, config) : readPlace('from', fromText)
    if (isSamePlace(from, to)) throw new UsageError('--from and --to are the same place.')
    const target = openFilesBeside({ dataDir: config.dataDir, s3: to })
    // A bucket that cannot be written fails here once, and not for every picture.
    if (to) await openS3(to, target.workspace)
    const stores = { from: openFilesBeside({ dataDir: config.dataDir, s3: from }), to: target }
    return resultOf(await copyFiles(stores, await listFiles(config)), isSamePlace(to, config.s3))
  },
}

/** Closes the snapshot before anything is copied: the log of SQLite grows while it is open. */
async function listFiles(config: Config): Promise<ExpectedFile[]> {
  const snapshot = await openSnapshot(config)
  try {
    return (await snapshot.select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
  } finally {
    await snapshot.close()
  }
}

/** Null is the disk. */
type Place = S3Place | null

function readPlace(option: string, text: string): Place {
  if (text === DISK) return null
  const { data, error } = s3Place.safeParse(text)
  if (error) throw new UsageError(`--${option} ${error.issues[0]?.message}, or be "${DISK}".`)
  return data
}

/** After S3_URL was changed, the rest comes from where the pictures were before. */
function sourceFor(to: Place, { s3 }: Config): Place {
  if (!isSamePlace(to, s3)) return s3
  if (to !== null) return null
  throw new UsageError('S3_URL is not set: name the bucket with --from.')
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one === null || other === null
    ? one === other
    : one.endpoint === other.endpoint && one.bucket === other.bucket && one.folder === other.folder

function resultOf({ copied, alreadyThere, missing, failed }: Moved, isInUse: boolean) {
  const [first] = failed
  const lines = [
    `Copied ${counted(copied, 'picture')}; ${counted(alreadyThere, 'was', 'were')} there already.`,
    ...(missing.length > 0 ? [`${counted(missing.length, 'is', 'are')} in neither place, such as ${missing[0]}.`] : []),
    ...(first
      ? [`${failed.length} could not be copied, such as ${first.key}: ${first.reason}. Run the command again.`]
      : []),
    ...(failed.length === 0 && !isInUse ? ['Now change S3_URL, restart the server, and run the command again.'] : []),
  ]
  return {
    json: { copied, alreadyThere, missing, failed },
    text: lines,
    isFault: failed.length > 0 || missing.length > 0,
  }
}

const AT_ONCE = 4

interface Moved {
  copied: number
  /** They were there from an earlier run, with the same content. */
  alreadyThere: number
  /** Neither store has them. */
  readonly missing: string[]
  readonly failed: { readonly key: string; readonly reason: string }[]
}

type Stores = Readonly<Record<'from' | 'to', FileStore>>

/** Copies files and compares their checksums. It can be repeated, writes nothing again, and removes nothing. */
async function copyFiles({ from, to }: Stores, files: readonly ExpectedFile[]): Promise<Moved> {
  const moved: Moved = { copied: 0, alreadyThere: 0, missing: [], failed: [] }
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ({ key }) => {
        try {
          await copyFile({ from, to }, key, moved)
        } catch (error) {
          moved.failed.push({ key, reason: reasonOf(error) })
        }
      }),
    )
  }
  return moved
}

async function copyFile({ from, to }: Stores, key: string, moved: Moved): Promise<void> {
  const there = await sumOf(to, key)
  const source = await from.borrow(key)
  if (!source) {
    if (there === null) moved.missing.push(key)
    else moved.alreadyThere++
    return
  }
  try {
    const wanted = await sumOfStream(Bun.file(source.path).stream())
    if (there === wanted) {
      moved.alreadyThere++
      return
    }
    await storeBytes(to, key, Bun.file(source.path))
    if ((await sumOf(to, key)) !== wanted) throw new Error('what was written is not what is read')
    moved.copied++
  } finally {
    await source.giveBack()
  }
}

async function sumOf(store: FileStore, key: string): Promise<string | null> {
  const file = await store.read(key)
  return file && sumOfStream(streamOf(file))
}

async function sumOfStream(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}
