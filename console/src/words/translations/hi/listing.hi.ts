import type { en } from '../../english/en-listing.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  filters: {
    tag: 'टैग',
    category: 'श्रेणी',
    anyCategory: 'सभी श्रेणियाँ',
  },
  bulk: {
    choose: 'चुनें: {title}',
    chosen: '{count} चुने गए',
    clear: 'चयन हटाएँ',
    undo: 'पूर्ववत करें',
    progress: '{count} में से {done}',
    tag: 'टैग जोड़ें',
    untag: 'टैग हटाएँ',
    closeText: 'इन पोल पर अब कोई वोट नहीं दे सकेगा। आप इसे पूर्ववत कर सकते हैं।',
    scheduleText:
      'समय ख़ाली छोड़ें तो हर पोल का अपना समय बना रहेगा। भविष्य का बंद होने का समय बंद पोल को फिर खोल देता है। ड्राफ़्ट प्रकाशित करने के बाद ही खुलता है।',
    archived: '{count} पोल संग्रहित हुए।',
    archivedOne: 'पोल संग्रहित हुआ।',
    back: '{count} पोल वापस आ गए।',
    backOne: 'पोल वापस आ गया।',
    closed: '{count} पोल बंद हुए।',
    closedOne: 'पोल बंद हुआ।',
    scheduled: '{count} पोल का नया समय है।',
    scheduledOne: 'पोल का नया समय है।',
    tagged: '{count} पोल पर टैग लगा।',
    taggedOne: 'पोल पर टैग लगा।',
    untagged: '{count} पोल से टैग हटाया गया।',
    untaggedOne: 'पोल से टैग हटाया गया।',
    undone: '{count} पोल पहले जैसे हैं।',
    undoneOne: 'पोल पहले जैसा है।',
    failed: '{count} पोल नहीं बदले',
    failedOne: 'एक पोल नहीं बदला',
    failedText: 'वे चुने हुए रहते हैं, ताकि आप फिर कोशिश कर सकें।',
    notOpen: 'यह खुला नहीं है।',
    changed: 'किसी और ने इसे बदल दिया।',
  },
}
