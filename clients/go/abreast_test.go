package abreast

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// vectors reads the cases of a file of this project's known answers.
func vectors(t *testing.T, name string) []map[string]string {
	file, err := os.Open(filepath.Join("../../judges/vectors/data", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []map[string]string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), " =")
		if strings.HasPrefix(name, "#") || !found {
			continue
		}
		if name == "Name" {
			cases = append(cases, map[string]string{})
		}
		cases[len(cases)-1][name] = strings.TrimSpace(value)
	}
	if len(cases) == 0 {
		t.Fatal(name, "has no case")
	}
	return cases
}

func unhex(t testing.TB, text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGCMSIV(t *testing.T) {
	ran := 0
	for _, it := range vectors(t, "gcm_siv.txt") {
		key, err := NewGCMSIV(unhex(t, it["Key"]))
		if err != nil {
			t.Fatal(it["Name"], err)
		}
		nonce, plain, aad := unhex(t, it["Nonce"]), unhex(t, it["Plaintext"]), unhex(t, it["AAD"])
		want := unhex(t, it["Ciphertext"]+it["Tag"])
		if got := key.Seal(nil, nonce, plain, aad); !bytes.Equal(got, want) {
			t.Errorf("%s: %x", it["Name"], got)
		}
		if got, err := key.Open(nil, nonce, want, aad); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %x, %v", it["Name"], got, err)
		}
		want[len(want)-1] ^= 1
		if _, err := key.Open(nil, nonce, want, aad); err == nil {
			t.Errorf("%s: a forged tag is taken", it["Name"])
		}
		ran++
	}
	t.Log(ran, "vectors")
}

// aezCase is a vector of Yawning's tests: {K, N, A.., tau, M, C}.
type aezCase struct {
	K, Nonce string
	Data     []string
	Tau      int
	M, C     string
}

func (it aezCase) check(t *testing.T, name string) {
	key, err := NewAEZ(unhex(t, it.K))
	if err != nil {
		t.Fatal(name, err)
	}
	defer key.Close()
	var ad [][]byte
	for _, text := range it.Data {
		ad = append(ad, unhex(t, text))
	}
	nonce, plain, want := unhex(t, it.Nonce), unhex(t, it.M), unhex(t, it.C)
	if got, err := key.EncryptAEZ(nonce, ad, it.Tau, plain, nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %x, %v", name, got, err)
	}
	if got, err := key.DecryptAEZ(nonce, ad, it.Tau, want, nil); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%s: %x, %v", name, got, err)
	}
	if it.Tau > 0 {
		want[0] ^= 1
		if _, err := key.DecryptAEZ(nonce, ad, it.Tau, want, nil); err == nil {
			t.Errorf("%s: a forged message is taken", name)
		}
	}
}

func TestAEZ(t *testing.T) {
	ran := 0
	for _, it := range vectors(t, "aez.txt") {
		tau := 0
		if _, err := fmt.Sscan(it["TagLength"], &tau); err != nil {
			t.Fatal(it["Name"], err)
		}
		var ad []string
		for _, text := range strings.Split(strings.ReplaceAll(it["AD"], "]", ""), "[")[1:] {
			ad = append(ad, strings.TrimSpace(text))
		}
		aezCase{it["Key"], it["Nonce"], ad, tau, it["Plaintext"], it["Ciphertext"]}.check(t, it["Name"])
		ran++
	}
	t.Log(ran, "vectors")
}

// Yawning's own files, where ABREAST_AEZ_SOURCE names a folder with his module.
func TestYawning(t *testing.T) {
	source := os.Getenv("ABREAST_AEZ_SOURCE")
	if source == "" {
		t.Skip("ABREAST_AEZ_SOURCE is not set")
	}
	files, _ := filepath.Glob(filepath.Join(source, "testdata/encrypt*.json"))
	if len(files) != 4 {
		t.Fatal(source, "has the files", files)
	}
	ran := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cases []aezCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(name, err)
		}
		for i, it := range cases {
			it.check(t, fmt.Sprint(filepath.Base(name), " ", i))
			ran++
		}
	}
	t.Log(ran, "vectors")
}

// batch makes messages of several lengths, each with a key of its own.
func batch(t testing.TB, make_ func([]byte) (*Key, error), count, length int) *Batch {
	b := &Batch{Tags: make([]byte, count*TagSize)}
	for i := 0; i < count; i++ {
		key, err := make_(bytes.Repeat([]byte{byte(i)}, 32))
		if err != nil {
			t.Fatal(err)
		}
		len_ := length
		if length < 0 {
			len_ = i * i % 301
		}
		b.Keys, b.Lengths = append(b.Keys, key), append(b.Lengths, len_)
		b.Nonces = append(b.Nonces, bytes.Repeat([]byte{byte(i + 1)}, key.NonceSize())...)
		b.Messages = append(b.Messages, bytes.Repeat([]byte{byte(i + 2)}, len_)...)
	}
	return b
}

func TestBatches(t *testing.T) {
	for name, make_ := range map[string]func([]byte) (*Key, error){"GCM": NewGCM, "GCM-SIV": NewGCMSIV, "AEZ": NewAEZ} {
		for _, count := range []int{0, 1, 63, 64, 65, 200} {
			b := batch(t, make_, count, -1)
			plain := append([]byte{}, b.Messages...)
			if err := b.Seal(); err != nil {
				t.Fatal(name, err)
			}
			at := 0
			for i, len_ := range b.Lengths {
				size := b.Keys[i].NonceSize()
				want := b.Keys[i].Seal(nil, b.Nonces[i*size:][:size], plain[at:][:len_], nil)
				got := append(append([]byte{}, b.Messages[at:][:len_]...), b.Tags[i*TagSize:][:TagSize]...)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: message %d of %d", name, i, count)
				}
				at += len_
			}
			if count > 2 {
				b.Tags[2*TagSize] ^= 1
			}
			right, err := b.Open()
			if (err != nil) != (count > 2) {
				t.Error(name, count, err)
			}
			at = 0
			for i, len_ := range b.Lengths {
				want := plain[at:][:len_]
				if i == 2 {
					want = make([]byte, len_)
				}
				if right[i] == (i == 2) || !bytes.Equal(b.Messages[at:][:len_], want) {
					t.Errorf("%s: message %d of %d comes back otherwise", name, i, count)
				}
				at += len_
			}
		}
	}
	b := batch(t, NewGCM, 3, 10)
	for _, wrong := range []func(){
		func() { b.Lengths[0]++ },
		func() { b.Lengths = b.Lengths[:2] },
		func() { b.Tags = b.Tags[1:] },
		func() { b.Nonces = b.Nonces[1:] },
	} {
		b = batch(t, NewGCM, 3, 10)
		wrong()
		if b.Seal() != ErrBatch {
			t.Error("a batch is taken whose lengths do not fit")
		}
	}
}

// GCM beside crypto/cipher's, and in place.
func TestGCM(t *testing.T) {
	for _, size := range []int{16, 24, 32} {
		secret := bytes.Repeat([]byte{7}, size)
		block, _ := aes.NewCipher(secret)
		theirs, _ := cipher.NewGCM(block)
		ours, err := NewGCM(secret)
		if err != nil {
			t.Fatal(err)
		}
		for len_ := 0; len_ < 300; len_ += 7 {
			plain, nonce, aad := bytes.Repeat([]byte{1}, len_), make([]byte, 12), []byte("header")
			want := theirs.Seal([]byte("before"), nonce, plain, aad)
			if got := ours.Seal([]byte("before"), nonce, plain, aad); !bytes.Equal(got, want) {
				t.Errorf("%d bytes: %x", len_, got)
			}
			buffer := append(make([]byte, 0, len_+TagSize), plain...)
			sealed := ours.Seal(buffer[:0], nonce, buffer, aad)
			if !bytes.Equal(sealed, want[6:]) {
				t.Errorf("%d bytes in place: %x", len_, sealed)
			}
			if got, err := ours.Open(sealed[:0], nonce, sealed, aad); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%d bytes in place: %x, %v", len_, got, err)
			}
		}
	}
	if _, err := NewGCM(make([]byte, 17)); err == nil {
		t.Error("a key of 17 bytes is taken")
	}
}

// A call keeps the handle that Close would free.
func TestCloseWaitsForCalls(t *testing.T) {
	key, err := NewGCM(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	if err := key.acquire(); err != nil {
		t.Fatal(err)
	}
	key.Close()
	key.Close()
	if key.handle == nil {
		t.Error("the handle was freed under a call")
	}
	key.release()
	if key.handle != nil {
		t.Error("the handle was not freed after the call")
	}
	if _, err := key.Open(nil, make([]byte, 12), make([]byte, 16), nil); err != ErrClosed {
		t.Error("a closed key gives", err)
	}
	batch := Batch{Keys: []*Key{key}, Nonces: make([]byte, 12), Lengths: []int{0}, Tags: make([]byte, 16)}
	if err := batch.Seal(); err != ErrClosed {
		t.Error("a batch with a closed key gives", err)
	}
}

// Keys are closed while goroutines seal: each call gives the right result or ErrClosed.
func TestCloseBesideSeal(t *testing.T) {
	message, nonce := make([]byte, 1<<16), make([]byte, 12)
	for round := 0; round < 50; round++ {
		key, err := NewGCM(make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		want := key.Seal(nil, nonce, message, nil)
		var begun, ended sync.WaitGroup
		for i := 0; i < 4; i++ {
			begun.Add(1)
			ended.Add(1)
			go func() {
				defer ended.Done()
				defer func() {
					if err := recover(); err != ErrClosed {
						t.Error("a call beside Close gives", err)
					}
				}()
				begun.Done()
				for {
					if got := key.Seal(nil, nonce, message, nil); !bytes.Equal(got, want) {
						t.Error("a call beside Close gives another result")
					}
				}
			}()
		}
		begun.Wait()
		key.Close()
		ended.Wait()
		if key.handle != nil {
			t.Fatal("the handle was not freed")
		}
	}
}

// Benchmarks: 256 messages of 64 and of 1024 bytes, each under its own key.
func benchmark(b *testing.B, name string, make_ func([]byte) (cipher.AEAD, error), many func([]byte) (*Key, error)) {
	const count = 256
	for _, len_ := range []int{64, 1024} {
		b.Run(fmt.Sprintf("%s/%d", name, len_), func(b *testing.B) {
			var keys []cipher.AEAD
			for i := 0; i < count; i++ {
				key, err := make_(bytes.Repeat([]byte{byte(i)}, 32))
				if err != nil {
					b.Fatal(err)
				}
				keys = append(keys, key)
			}
			nonce, buffer := make([]byte, keys[0].NonceSize()), make([]byte, len_+TagSize)
			b.SetBytes(count * int64(len_))
			for i := 0; i < b.N; i++ {
				for _, key := range keys {
					key.Seal(buffer[:0], nonce, buffer[:len_], nil)
				}
			}
		})
		if many != nil {
			b.Run(fmt.Sprintf("%s, batch/%d", name, len_), func(b *testing.B) {
				it := batch(b, many, count, len_)
				b.SetBytes(count * int64(len_))
				for i := 0; i < b.N; i++ {
					if err := it.Seal(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func ours(make_ func([]byte) (*Key, error)) func([]byte) (cipher.AEAD, error) {
	return func(key []byte) (cipher.AEAD, error) { return make_(key) }
}

func BenchmarkSeal(b *testing.B) {
	benchmark(b, "crypto/aes GCM", func(key []byte) (cipher.AEAD, error) {
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	}, nil)
	benchmark(b, "GCM", ours(NewGCM), NewGCM)
	benchmark(b, "GCM-SIV", ours(NewGCMSIV), NewGCMSIV)
	benchmark(b, "AEZ", ours(NewAEZ), NewAEZ)
}
