import { serveJobs } from '../../../../base/isolation/job.ts'
import { readCss } from './read-css.ts'

await serveJobs(readCss)
