<?php
// Translations: the files of a language serve all its countries, so that Austria reads German too.

defined('ABSPATH') || exit;

const TOSSUP_LANGUAGES = array(
    'ar' => 'ar',
    'de' => 'de_DE',
    'es' => 'es_ES',
    'fr' => 'fr_FR',
    'hi' => 'hi_IN',
    'ja' => 'ja',
    'pt' => 'pt_BR',
    'uk' => 'uk',
    'zh' => 'zh_CN',
);

add_action('init', 'tossup_load_language', 1);
add_filter('load_textdomain_mofile', 'tossup_mo_file', 10, 2);
add_filter('load_script_translation_file', 'tossup_json_file', 10, 3);

function tossup_load_language() {
    load_plugin_textdomain('tossup-polls', false, dirname(plugin_basename(TOSSUP_FILE)) . '/languages');
}

/** The file of the same language in this plugin, if there is none of the country. */
function tossup_language_file($file, $locale, $ending) {
    $language = strtok($locale, '_');
    if (is_readable($file) || !isset(TOSSUP_LANGUAGES[$language])) {
        return $file;
    }
    return dirname(TOSSUP_FILE) . '/languages/tossup-polls-' . TOSSUP_LANGUAGES[$language] . $ending;
}

function tossup_mo_file($file, $domain) {
    return $domain === 'tossup-polls' ? tossup_language_file($file, determine_locale(), '.mo') : $file;
}

function tossup_json_file($file, $handle, $domain) {
    return $domain === 'tossup-polls' && $file
        ? tossup_language_file($file, determine_locale(), '-' . $handle . '.json')
        : $file;
}
