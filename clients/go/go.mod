module github.com/abreast/abreast/clients/go

go 1.20
