// Checks a log with the libraries of Go, and makes test vectors: see README.md beside it.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func texts(hashes []tlog.Hash) []string {
	found := []string{}
	for _, hash := range hashes {
		found = append(found, hash.String())
	}
	return found
}

// A log in memory.
type memory []tlog.Hash

func (m memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var found []tlog.Hash
	for _, index := range indexes {
		found = append(found, m[index])
	}
	return found, nil
}

func entryOf(i int64) string {
	digest := sha256.Sum256([]byte(strconv.FormatInt(i, 10)))
	option := "A"
	if i%3 == 0 {
		option = "B"
	}
	return "tossup-vote/1 " + option + " " + base64.RawURLEncoding.EncodeToString(digest[:])
}

type object map[string]interface{}

func vectors() {
	sizes := []int64{0, 1, 2, 3, 255, 256, 257, 65536, 65537, 1000003}
	var stored memory
	var trees, inclusion, consistency []object
	var roots []tlog.Hash
	leaves := int64(0)
	for n, size := range sizes {
		for i := leaves; i < size; i++ {
			hashes, err := tlog.StoredHashes(i, []byte(entryOf(i)), stored)
			must(err)
			stored = append(stored, hashes...)
		}
		leaves = size
		root := emptyRoot()
		if size > 0 {
			var err error
			root, err = tlog.TreeHash(size, stored)
			must(err)
		}
		roots = append(roots, root)
		trees = append(trees, object{"size": size, "root": root.String()})
		for _, index := range []int64{0, size / 2, size - 1} {
			if size == 0 {
				continue
			}
			proof, err := tlog.ProveRecord(size, index, stored)
			must(err)
			inclusion = append(inclusion, object{"size": size, "index": index, "proof": texts(proof)})
		}
		for _, from := range sizes[:n] {
			if from == 0 {
				continue
			}
			proof, err := tlog.ProveTree(size, from, stored)
			must(err)
			consistency = append(consistency, object{"from": from, "to": size, "proof": texts(proof)})
		}
	}
	origin := "polls.example.com/log/0b0f9c1e-5a57-4f6c-9a3e-2f1f6a4f8d11/k3x9qa"
	seed := sha256.Sum256([]byte("a seed for test vectors alone"))
	vkey := verifierKey(origin, seed)
	text := fmt.Sprintf("%s\n%d\n%s\n", origin, 257, roots[6].String())
	signer, err := note.NewSigner(signerKey(origin, seed, vkey))
	must(err)
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	must(err)
	key := sha256.Sum256([]byte("the key of a log"))
	device := sha256.Sum256([]byte("a device"))
	mac := hmac.New(sha256.New, key[:])
	mac.Write(device[:16])
	nonce := mac.Sum(nil)[:16]
	commitment := sha256.Sum256(nonce)
	b64 := base64.RawURLEncoding.EncodeToString
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	must(out.Encode(object{
		"entry":       object{"key": hex.EncodeToString(key[:]), "device": hex.EncodeToString(device[:16]), "nonce": b64(nonce), "commitment": b64(commitment[:]), "entryOfA": "tossup-vote/1 A " + b64(commitment[:])},
		"note":        object{"seed": hex.EncodeToString(seed[:]), "origin": origin, "size": 257, "root": roots[6].String(), "publicKey": vkey, "checkpoint": string(signed)},
		"trees":       trees,
		"inclusion":   inclusion,
		"consistency": consistency,
	}))
}

func emptyRoot() tlog.Hash { return tlog.Hash(sha256.Sum256(nil)) }

// What `tossup verify-log` and a newspaper would do, with the code of the Go project.
type served struct {
	url  string
	tree tlog.Tree
}

func (s served) Height() int                     { return 8 }
func (s served) SaveTiles([]tlog.Tile, [][]byte) {}
func (s served) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range tiles {
		data, err := get(s.url + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

func get(url string) ([]byte, error) {
	reply, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	data, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != 200 {
		err = fmt.Errorf("%s: %s", url, reply.Status)
	}
	return data, err
}

// The log to check, on the standard input.
type given struct {
	URL         string
	PublicKey   string
	Checkpoints []string
	Receipts    []struct {
		Index int64
		Entry string
		Proof []string
	}
}

func open(text string, verifiers note.Verifiers) tlog.Tree {
	opened, err := note.Open([]byte(text), verifiers)
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	return tlog.Tree{N: size, Hash: root}
}

func verify() {
	var log given
	must(json.NewDecoder(os.Stdin).Decode(&log))
	verifier, err := note.NewVerifier(log.PublicKey)
	must(err)
	verifiers := note.VerifierList(verifier)
	latest, err := get(log.URL + "/checkpoint")
	must(err)
	tree := open(string(latest), verifiers)
	if tree.N == 0 {
		if tree.Hash != emptyRoot() {
			must(fmt.Errorf("the root of an empty log is wrong"))
		}
		fmt.Println("verified 0")
		return
	}
	reader := tlog.TileHashReader(tree, served{url: log.URL, tree: tree})
	for _, text := range log.Checkpoints {
		earlier := open(text, verifiers)
		if earlier.N == 0 {
			continue
		}
		proof, err := tlog.ProveTree(tree.N, earlier.N, reader)
		must(err)
		must(tlog.CheckTree(proof, tree.N, tree.Hash, earlier.N, earlier.Hash))
	}
	for _, receipt := range log.Receipts {
		var proof tlog.RecordProof
		for _, text := range receipt.Proof {
			hash, err := tlog.ParseHash(text)
			must(err)
			proof = append(proof, hash)
		}
		must(tlog.CheckRecord(proof, tree.N, tree.Hash, receipt.Index, tlog.RecordHash([]byte(receipt.Entry))))
	}
	for first := int64(0); first < tree.N; first += 256 {
		tile := tlog.Tile{H: 8, L: 0, N: first / 256, W: 256}
		if tree.N-first < 256 {
			tile.W = int(tree.N - first)
		}
		bundle, err := get(log.URL + "/" + strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		must(err)
		var indexes []int64
		for i := 0; i < tile.W; i++ {
			indexes = append(indexes, tlog.StoredHashIndex(0, first+int64(i)))
		}
		hashes, err := reader.ReadHashes(indexes)
		must(err)
		for _, hash := range hashes {
			length := binary.BigEndian.Uint16(bundle)
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			if tlog.RecordHash(entry) != hash || !bytes.HasPrefix(entry, []byte("tossup-vote/1 ")) {
				must(fmt.Errorf("an entry after %d is not in the log", first))
			}
		}
		if len(bundle) > 0 {
			must(fmt.Errorf("a tile of entries is too long"))
		}
	}
	fmt.Println("verified", tree.N)
}

func keyHash(name string, key []byte) uint32 {
	digest := sha256.Sum256(append([]byte(name+"\n"), key...))
	return binary.BigEndian.Uint32(digest[:])
}

func verifierKey(name string, seed [32]byte) string {
	key, err := note.NewEd25519VerifierKey(name, publicOf(seed))
	must(err)
	return key
}

func signerKey(name string, seed [32]byte, vkey string) string {
	// The third part may hold a plus itself.
	public, err := base64.StdEncoding.DecodeString(strings.SplitN(vkey, "+", 3)[2])
	must(err)
	private := append([]byte{1}, seed[:]...)
	return fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", name, keyHash(name, public), base64.StdEncoding.EncodeToString(private))
}

func publicOf(seed [32]byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey)
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "vectors" {
		vectors()
	} else {
		verify()
	}
}
