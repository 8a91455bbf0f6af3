import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a disk of a few megabytes on a folder. */
export const mountSmall = (folder: string, megabytes = 1): Promise<unknown> =>
  Bun.$`mount -t tmpfs -o size=${megabytes}m none ${folder}`.quiet().then(() => undefined)

/** Lazy (-l), because a file on it may be open: a service goes on making pictures. */
export const unmount = (folder: string): Promise<unknown> => Bun.$`umount -l ${folder}`.quiet().then(() => undefined)

async function tryIt(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'tossup-mount-'))
  try {
    await mountSmall(folder)
    await unmount(folder)
    return true
  } catch {
    process.stderr.write('nothing can be mounted here: tests of a full disk are skipped\n')
    return false
  } finally {
    await rmdir(folder)
  }
}

export const canMount = await tryIt()
