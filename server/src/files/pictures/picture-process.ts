import { serveJobs } from '../../base/isolation/job.ts'
import type { ContentType } from '../file-keys.ts'
import { composePicture, makeVariant } from './compose.ts'
import { type Box, photoFor } from './container.ts'
import { rewritePicture } from './rewrite-picture.ts'

/** Reads and writes files; only a photo is returned, as a data URL. */
export type PictureJob =
  | { readonly kind: 'rewrite'; readonly from: string; readonly to: string; readonly type: ContentType }
  | { readonly kind: 'variant'; readonly from: string; readonly to: string; readonly width: number }
  | { readonly kind: 'compose'; readonly left: string; readonly right: string; readonly to: string }
  | { readonly kind: 'photo'; readonly path: string; readonly box: Box }

serveJobs((job: PictureJob) => {
  if (job.kind === 'rewrite') return rewritePicture(job)
  if (job.kind === 'variant') return makeVariant(job)
  return job.kind === 'compose' ? composePicture(job) : photoFor(job)
})
