// Preloaded into a server: each sync of a file takes 200 ms longer.
import { createRequire } from 'node:module'

const SYNC_MS = 200

type Callback = (error: NodeJS.ErrnoException | null) => void
type Sync = (fd: number, done: Callback) => void

// Not imported: an import of Tossup would then get the functions as they are now.
const fs = createRequire(import.meta.url)('node:fs') as { fdatasync: Sync }
const sync = fs.fdatasync
fs.fdatasync = (fd, done) => {
  // Real time: a slow disk is the subject.
  setTimeout(() => sync(fd, done), SYNC_MS)
}
