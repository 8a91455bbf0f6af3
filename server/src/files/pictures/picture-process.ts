import { serveJobs } from '../../base/isolation/job.ts'
import type { ContentType } from '../file-keys.ts'
import { composePicture, makeVariant, type Part } from './compose.ts'
import type { Box } from './container.ts'
import { photoFor } from './photo.ts'
import { rewritePicture } from './rewrite-picture.ts'

/** Reads and writes files; only a photo is returned. */
export type PictureJob =
  | { readonly kind: 'rewrite'; readonly from: string; readonly to: string; readonly type: ContentType }
  | { readonly kind: 'variant'; readonly from: string; readonly to: string; readonly width: number }
  | { readonly kind: 'compose'; readonly left: Part; readonly right: Part; readonly to: string }
  | { readonly kind: 'photo'; readonly path: string; readonly box: Box }

await serveJobs((job: PictureJob) => {
  if (job.kind === 'rewrite') return rewritePicture(job)
  if (job.kind === 'variant') return makeVariant(job)
  return job.kind === 'compose' ? composePicture(job) : photoFor(job)
})
