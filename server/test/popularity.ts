import { Popularity } from '../src/features/polls/popularity.ts'
import type { TestService } from './service.ts'

/** Repeats the worker's job until it is complete: one run stops early on a busy machine, or while the worker runs. */
export async function refreshPopularity({ deps, clock }: TestService, now = clock.now()): Promise<void> {
  const popularity = new Popularity(deps.engine)
  await popularity.sweep(now)
  while (await popularity.refresh(now));
}
