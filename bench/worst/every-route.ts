import { startTestService } from '../../server/test/service.ts'
import { openApiDocument } from '../../server/tools/openapi/openapi-document.ts'
import type { ApiDocument } from './public-operations.ts'

/** Describes every route, also pages and files, which openapi.json leaves out. */
export async function documentOfEveryRoute(): Promise<ApiDocument> {
  const service = await startTestService('sqlite')
  const document = openApiDocument(service.service.routes, '') as unknown as ApiDocument
  await service.stop()
  return document
}
