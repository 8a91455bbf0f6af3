import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: 'Vorlage verwenden',
    title: 'Beginnen mit',
    text: 'Das füllt das Formular. Gespeichert wird erst, wenn du es speicherst.',
    templates: 'Einer Vorlage',
    past: 'Einer früheren Umfrage',
    find: 'Deine Umfragen durchsuchen',
    none: 'Keine Umfrage passt.',
  },
  templates: {
    next: {
      name: 'Was als Nächstes kommt',
      use: 'Produkte, Sorten, Themen: Lass wählen, was du machst.',
      title: 'Welche Sorte sollen wir als Nächstes machen?',
      a: 'Etwas Neues',
      b: 'Einen alten Liebling',
    },
    design: {
      name: 'Zwei Entwürfe',
      use: 'Füge zwei Bilder hinzu. Jedes Gerät sieht sie in eigener Reihenfolge.',
      title: 'Welches Titelbild gefällt dir besser?',
      a: 'Das erste',
      b: 'Das zweite',
    },
    feedback: {
      name: 'Nach dem Lesen',
      use: 'Für Artikel und Hilfeseiten. Nur dein Team sieht das Ergebnis.',
      title: 'Hat das deine Frage beantwortet?',
      a: 'Ja',
      b: 'Nein',
    },
    date: {
      name: 'Einen Termin finden',
      use: 'Für Veranstaltungen und Treffen. Lege fest, wann die Umfrage endet.',
      title: 'Wann passt es dir besser?',
      a: 'Freitagabend',
      b: 'Samstagnachmittag',
    },
    guess: {
      name: 'Den Sieger tippen',
      use: 'Für Spiele und Preise. Beende sie vor dem Beginn; wer abstimmt, sieht das Ergebnis.',
      title: 'Wer gewinnt heute Abend?',
      a: 'Die Heimmannschaft',
      b: 'Die Gäste',
    },
    room: {
      name: 'Einen Saal aufwärmen',
      use: 'Eine leichte Frage für Bühne oder Videocall; alle sehen das Ergebnis.',
      title: 'Wann arbeitest du am besten?',
      a: 'Am Morgen',
      b: 'Am Abend',
    },
  },
}
