module datc-benchmark-godip

go 1.21

require github.com/zond/godip v0.6.5
