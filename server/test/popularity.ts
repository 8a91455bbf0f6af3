import { Popularity } from '../src/features/polls/feed/popularity.ts'
import type { TestService } from './service.ts'

/** What the worker does every two seconds, to its end: a run stops early on a busy machine, or while the worker is at it. */
export async function refreshPopularity({ deps, clock }: TestService, now = clock.now()): Promise<void> {
  const popularity = new Popularity(deps.engine)
  await popularity.sweep(now)
  while (await popularity.refresh(now));
}
