import { runCommandLine } from './cli/run.ts'

// What we write is for this user alone: the database, the pictures, the secret.
process.umask(0o077)
process.exitCode = await runCommandLine(process.argv.slice(2))
