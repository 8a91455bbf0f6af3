import { serveCommand } from './cli/commands/serve.ts'
import { runCommandLine } from './cli/run.ts'

// Files are created for this user only: the database, the pictures, the secret.
process.umask(0o077)
process.exitCode = await runCommandLine(process.argv.slice(2), serveCommand)
