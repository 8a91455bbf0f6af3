import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

/** The first request builds the docs, which on a busy machine takes longer than a request may. */
export async function docsBuilt(service: TestService): Promise<void> {
  await eventually(async () => (await service.get('/docs')).status === 200, { withinMs: 60_000 })
}
