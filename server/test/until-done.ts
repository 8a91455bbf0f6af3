/** Runs a job until it is done: one that has used up its time answers true, and goes on when it is called again. */
export async function untilDone(job: () => Promise<boolean>): Promise<void> {
  while (await job());
}
