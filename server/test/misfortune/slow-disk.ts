// Preloaded into a server: each sync of a file takes 200 ms longer.
import { createRequire } from 'node:module'

const SYNC_MS = 200

type Callback = (error: NodeJS.ErrnoException | null) => void
type Sync = (fd: number, done: Callback) => void

// `require`, because with an import here, later imports in Tossup would get the original functions.
const fs = createRequire(import.meta.url)('node:fs') as { fdatasync: Sync }
const sync = fs.fdatasync
fs.fdatasync = (fd, done) => {
  // Real time: a slow disk is the subject.
  setTimeout(() => sync(fd, done), SYNC_MS)
}
