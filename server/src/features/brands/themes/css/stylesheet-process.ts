import { serveJobs } from '../../../../base/isolation/serve-jobs.ts'
import { readCss } from './read-css.ts'

serveJobs(readCss)
