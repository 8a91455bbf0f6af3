import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

const CONFIG = (
  folder: string,
  port: number,
  site: string,
) => `user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  proxy_cache_path ${folder}/pages keys_zone=pages:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${site};
      proxy_set_header Host ${new URL(site).host};
      proxy_cache pages;
      proxy_cache_valid 200 10m;
      proxy_ignore_headers Cache-Control Expires Set-Cookie;
      add_header X-Cache $upstream_cache_status;
    }
  }
}`

/** An nginx before a site that keeps each page and gives it to everybody. */
export class PageCache {
  readonly url: string
  readonly #folder: string
  readonly #server: Bun.Subprocess

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.url = `http://127.0.0.1:${port}`
    this.#server = Bun.spawn(['nginx', '-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')])
  }

  static async of(site: string): Promise<PageCache> {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-page-cache-'))
    const port = freePort()
    await Bun.write(join(folder, 'nginx.conf'), CONFIG(folder, port, site))
    const cache = new PageCache(folder, port)
    await eventually(
      async () => (await fetch(`${cache.url}/wp-includes/images/blank.gif`).catch(() => null))?.ok === true,
    )
    return cache
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill()
    await this.#server.exited
    await rm(this.#folder, { recursive: true })
  }
}
