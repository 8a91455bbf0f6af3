#!/usr/bin/env bash
# Puts WordPress into an empty folder: Debian's release and later ones from npm, each in a folder named by its version, and
# `sqlite`, which lets them run without MariaDB. Needs Debian with php-cli, and npm; 170 MB are downloaded.
set -euo pipefail
folder=$(realpath "${1:?usage: get-wordpress.sh FOLDER [BUILD...], default: 6.5 nightly}")
later=("${@:2}")
[ ${#later[@]} -gt 0 ] || later=(6.5 nightly)
builds=@wp-playground/wordpress-builds@0.9.19
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
chmod 755 "$parts"
mkdir -p "$folder"

unzip() { php -r '(new PharData($argv[1]))->extractTo($argv[2]);' "$1" "$2"; }
keep() {
  version=$(php -r 'require $argv[1]; echo $wp_version;' "$1/wp-includes/version.php")
  rm -rf "${folder:?}/$version" "$1/wp-config.php" "$1/.htaccess" "$1/wp-content/database"
  cp --recursive --dereference "$1" "$folder/$version"
  echo "$folder/$version"
}

cd "$parts"
# The second line are files that the first links to.
apt-get download -qq -o APT::Sandbox::User=root wordpress wordpress-theme-twentytwentythree wordpress-theme-twentytwentytwo \
  libjs-cropper libjs-underscore php-getid3
for package in *.deb; do dpkg --extract "$package" debian; done
keep debian/usr/share/wordpress

npm pack --silent $builds >/dev/null
tar --extract --gzip --file ./*.tgz
for name in "${later[@]}"; do
  # The builds keep scripts and pictures apart from the rest.
  mkdir "$name"
  unzip "package/src/wordpress/wp-$name.zip" "$name"
  cp --recursive "package/public/wp-$name/." "$name"
  keep "$name"
done
unzip package/src/sqlite-database-integration/sqlite-database-integration.zip sqlite
rm -rf "$folder/sqlite"
mv sqlite/sqlite-database-integration-main "$folder/sqlite"
