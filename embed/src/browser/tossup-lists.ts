import { load } from './parts.ts'
import { TossupElement } from './tossup-element.ts'

/** What an element of several polls does, once it is loaded. */
export interface List {
  /** Called with the subject's name and the data that the page included, or null. */
  begin(reference: string, given: unknown): void
  end(): void
  show(): void
}

/** What `lists.ts` exports. */
type Lists = Record<'CampaignSteps' | 'FeedList', new (element: TossupElement) => List>

const loadLists = () => load<Lists>('lists')

abstract class TossupList extends TossupElement {
  #list: List | null = null

  protected abstract make(): Promise<List>

  begin(reference: string, given: unknown): void {
    const { run } = this
    // Made once: an element that is moved keeps its list.
    const made = this.#list ? Promise.resolve(this.#list) : this.make()
    made.then(
      (list) => {
        this.#list ??= list
        if (run === this.run) this.#list.begin(reference, given)
      },
      () => run === this.run && this.fail('unreachable', 'NETWORK_ERROR'),
    )
  }

  end(): void {
    this.#list?.end()
  }

  show(): void {
    this.#list?.show()
  }
}

/** `<tossup-campaign campaign="…">`: its polls one after another, then all results. */
export class TossupCampaign extends TossupList {
  static override readonly observedAttributes = ['campaign', ...TossupElement.observedAttributes]
  readonly named = 'campaign'
  protected make = async () => new (await loadLists()).CampaignSteps(this)
}

/** `<tossup-feed brand="…">`: the public polls of a brand, newest first, with a button for more. */
export class TossupFeed extends TossupList {
  static override readonly observedAttributes = ['brand', ...TossupElement.observedAttributes]
  readonly named = 'brand'
  protected make = async () => new (await loadLists()).FeedList(this)
}
