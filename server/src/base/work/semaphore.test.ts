import { describe, expect, test } from 'bun:test'
import { Semaphore } from './semaphore.ts'

describe('a semaphore', () => {
  test('runs at most its number of permits at once, in the order of the requests', async () => {
    const semaphore = new Semaphore(2)
    const started: number[] = []
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        semaphore.run(async () => {
          started.push(i)
          most = Math.max(most, ++running)
          // Real time: the work takes some, so that others wait.
          await Bun.sleep(1)
          running--
        }),
      ),
    )
    expect(most).toBe(2)
    expect(started).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  test('releases the permit of work that fails, and reports the failure to its caller', async () => {
    const semaphore = new Semaphore(1)
    const failed = semaphore.run(() => Promise.reject(new Error('broken')))
    const next = semaphore.run(async () => 'fine')
    await expect(failed).rejects.toThrow('broken')
    expect(await next).toBe('fine')
    expect([semaphore.tryAcquire(), semaphore.tryAcquire()]).toEqual([true, false])
    semaphore.release()
    expect(semaphore.tryAcquire()).toBe(true)
  })

  test('lets no caller overtake a waiting one', async () => {
    const semaphore = new Semaphore(1)
    await semaphore.acquire()
    const waiting = semaphore.acquire()
    semaphore.release()
    expect(semaphore.tryAcquire()).toBe(false)
    await waiting
  })
})
