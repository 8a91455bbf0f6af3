import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DAY } from '../base/clock.ts'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import type { BackupPlace, S3Place } from '../config/setting-kinds.ts'
import { reasonOfS3, s3Client } from '../files/s3.ts'
import { fileSink, type Sink } from './sinks.ts'

/** Earlier versions wrote no milliseconds, and a second backup within a second failed. */
const NAME = /^tossup-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})?Z\.tar$/
const PARTIAL = '.partial'
const PART_BYTES = 8_388_608

/** Where backups are made by themselves. Files with other names are left alone. */
export interface BackupFolder {
  /** The names of complete backups, the oldest first. */
  list(): Promise<string[]>
  open(name: string): Sink
  remove(name: string): Promise<void>
}

export const backupName = (now: number): string => `tossup-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.tar`

/** When the backup began, by its name. */
export const timeOfBackup = (name: string): number => {
  const [, year, month, day, hours, minutes, seconds, ms = '000'] = NAME.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
}

export const openBackupFolder = (place: BackupPlace): BackupFolder =>
  'folder' in place ? onDisk(place.folder) : inBucket(place.s3)

function onDisk(folder: string): BackupFolder {
  return {
    async list() {
      const names = existsSync(folder) ? readdirSync(folder) : []
      return names.filter((name) => NAME.test(name)).sort()
    },
    open(name) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        // A younger one may be of a backup that another process is making.
        for (const left of readdirSync(folder)) {
          const isLeft = left.endsWith(PARTIAL) && timeOfBackup(left.slice(0, -PARTIAL.length)) < Date.now() - DAY
          if (isLeft) rmSync(join(folder, left))
        }
      } catch (error) {
        throw new PlainFailure(`Cannot use BACKUP_URL ${folder}: ${reasonOf(error)}.`, { cause: error })
      }
      return fileSink(join(folder, name))
    },
    remove: async (name) => rmSync(join(folder, name), { force: true }),
  }
}

function inBucket(place: S3Place): BackupFolder {
  const { folder } = place
  const client = s3Client(place)
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw new PlainFailure(`Cannot use the bucket of BACKUP_URL: ${reasonOfS3(error)}.`, { cause: error })
    }
  }
  return {
    list: () =>
      within(async () => {
        const { contents = [] } = await client.list({ prefix: `${folder}tossup-`, maxKeys: 1_000 })
        return contents
          .map(({ key }) => key.slice(folder.length))
          .filter((name) => NAME.test(name))
          .sort()
      }),
    open(name) {
      // Sent in parts while it is made; the object appears when all are there.
      const writer = client.file(folder + name).writer({ partSize: PART_BYTES, queueSize: 2, retry: 3 })
      return {
        write: (chunk) =>
          within(async () => {
            writer.write(chunk)
            await writer.flush()
          }),
        finish: () => within(async () => void (await writer.end())),
        async abandon() {
          await Promise.resolve(writer.end(new Error('the backup failed'))).catch(() => undefined)
          // The bucket may hold the parts as a whole object. The failure before this one is the one to tell.
          await client.delete(folder + name).catch(() => undefined)
        },
      }
    },
    remove: (name) => within(() => client.delete(folder + name)),
  }
}
